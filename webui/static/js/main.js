// Every page: forms that are sent without leaving, dialogs, local times. Live pages also follow the match.
import { follow } from "./live.js";
import { openDialogs, sendForms } from "./forms.js";
import { enterByLink } from "./door.js";

const language = document.documentElement.lang;
const clock = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit" });
const calendar = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });

export function showLocalTimes(within) {
  for (const time of within.querySelectorAll("time[datetime]")) {
    const moment = new Date(time.dateTime);
    if (!Number.isNaN(moment.valueOf())) {
      time.textContent = ("date" in time.dataset ? calendar : clock).format(moment);
    }
  }
}

showLocalTimes(document);
enterByLink();
sendForms();
openDialogs();
if (document.querySelector("[data-part]")) {
  follow(document.body.dataset.page, showLocalTimes);
}
