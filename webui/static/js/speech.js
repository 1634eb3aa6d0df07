// Says each new ruling once, as a caption and, where wanted, aloud. What was taken back is never said again.
export function announcer() {
  const caption = document.getElementById("caption");
  if (!caption) {
    return () => {};
  }
  const button = document.querySelector("[data-speech]");
  const voice = globalThis.speechSynthesis;
  let aloud = false;
  let match = null;
  let said = -1;
  let corrections = 0;

  if (voice) {
    button.hidden = false;
    button.addEventListener("click", () => {
      aloud = !aloud;
      button.setAttribute("aria-pressed", String(aloud));
      button.parentElement.classList.toggle("speaking", aloud);
      voice.cancel();
      if (aloud) {
        speak(caption.textContent);
      }
    });
  }

  function speak(text) {
    if (aloud && text) {
      const words = new SpeechSynthesisUtterance(text);
      words.lang = "en";
      voice.speak(words);
    }
  }

  return (message) => {
    const newest = message.newest;
    if (message.match !== match) { // a page just opened, or another match: nothing of it is news
      match = message.match;
      said = newest?.seq ?? -1;
      corrections = message.corrections;
      caption.textContent = "";
      return;
    }
    if (message.corrections !== corrections) {
      corrections = message.corrections;
      voice?.cancel(); // a wrong score may be on its way out
      caption.textContent = caption.dataset.corrected;
      caption.lang = document.documentElement.lang;
    }
    if (newest && newest.seq > said) {
      said = newest.seq;
      caption.textContent = newest.text;
      caption.lang = "en";
      speak(newest.text);
    }
  };
}
