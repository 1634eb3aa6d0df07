// The host's link carries its token behind "#", where no server sees it; here it becomes a cookie.
export function enterByLink() {
  const form = document.querySelector("form[data-door]");
  if (!form) {
    return;
  }
  const enter = () => {
    const token = location.hash.slice(1);
    if (token) {
      history.replaceState(null, "", location.pathname);
      form.elements.token.value = token;
      form.submit();
    }
  };
  addEventListener("hashchange", enter); // the link was pasted into this very page
  enter();
}
