// What a page hears of its server: newer data, and that there will be no more.
import { h } from "./dom";
import type { ReportData } from "./data";

/** Draws whatever comes, and says at the top whether more is to come. */
export function listen(draw: (data: ReportData) => void): void {
  const words = h("p", { class: "live", role: "status" }, "Reading what is there.");
  document.body.prepend(words);
  const say = (state: string, text: string): void => {
    if (words.textContent === text) return;
    words.dataset["state"] = state;
    words.textContent = text;
  };
  const events = new EventSource("events");
  events.addEventListener("message", (event) => {
    draw(JSON.parse(event.data as string) as ReportData);
    say("on", "Live: the page follows what is being written.");
  });
  events.addEventListener("end", () => {
    events.close();
    say("ended", "Ended: c2rl serves this page no longer, and it stays as it is.");
  });
  events.addEventListener("error", () => {
    if (events.readyState === EventSource.CLOSED) say("lost", "The connection is closed; the page stays as it is.");
    else say("lost", "No connection to c2rl: it was ended, or is busy. Trying again.");
  });
}
