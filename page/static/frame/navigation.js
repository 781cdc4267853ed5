// The ways to the views: a few groups, the views of the group that is shown in a second row, and the answers about a deal.

import { isOffline, isOffered } from "../api.js";
import { byId, clear, h, keepFocus } from "../dom.js";
import { LED_TO, linkTo, state } from "../state.js";
import { phrase } from "../texts.js";

/** Answers about the deal, which have their names beside them. */
export const DEAL_VIEWS = ["call", "shown", "auctions", "compare", "lead"];
/** Views by their group; a group's name leads to its first view. */
const GROUPS = {
  bid: [...DEAL_VIEWS, "bid"],
  practise: ["practice", "handout"],
  boards: ["boards"],
  systems: ["systems", "book", "card"],
  more: ["cards", "archives", "jobs"],
};
/** Views that need a service, with the routes that not every service has. */
const SERVED = { lead: null, archives: "/v1/archives", jobs: "/v1/jobs" };

/** Views whose routes this service has. */
let offered = [];

function link(view, text, current) {
  // what one view asks says nothing to another
  const asked = view === state().view ? {} : { asked: "" };
  return h("a", { href: linkTo({ view, ...asked }), "aria-current": current }, text);
}

/** Whether a view has its place among the others. */
function isShown(view) {
  if (view === state().view) return true;
  return !LED_TO.includes(view) && (!isOffline() || !(view in SERVED));
}

/** Link of a view. One that may not be offered has its place: nothing moves when that is known. */
function viewLink(view) {
  const isHere = state().view === view;
  const one = link(view, phrase(`help.${view}`), isHere ? "page" : null);
  one.classList.toggle("unseen", Boolean(SERVED[view]) && !offered.includes(view) && !isHere);
  return one;
}

/** Name of a group, which leads to where one is in it, else to its first view. */
function groupLink([name, views]) {
  const { view } = state();
  const isHere = views.includes(view);
  const isAlone = views.filter(isShown).length === 1;
  return link(isHere ? view : views[0], phrase(`group.${name}`), isHere ? (isAlone ? "page" : "true") : null);
}

function showGroups() {
  clear(byId("pages"), Object.entries(GROUPS).map(groupLink));
}

/** Views of the group; the answers about a deal are one of them. */
function showGroup() {
  const { view } = state();
  const isDeal = DEAL_VIEWS.includes(view);
  const views = Object.values(GROUPS).find((one) => one.includes(view));
  const others = views.filter((one) => !DEAL_VIEWS.includes(one) && isShown(one)).map(viewLink);
  const deal = views.includes(DEAL_VIEWS[0]) && link(isDeal ? view : DEAL_VIEWS[0], phrase("page.deal"), isDeal ? "page" : null);
  const links = [deal, ...others].filter(Boolean);
  clear(byId("group"), links);
  byId("group").hidden = links.length < 2;
}

function showAnswers() {
  const { view } = state();
  const isDeal = DEAL_VIEWS.includes(view);
  clear(byId("views"), isDeal && DEAL_VIEWS.filter(isShown).map(viewLink));
  byId("views").hidden = !isDeal;
}

export function showNavigation() {
  keepFocus(byId("pages"), showGroups);
  keepFocus(byId("group"), showGroup);
  keepFocus(byId("views"), showAnswers);
}

/** Let the views be seen that this service has. */
export async function findOffered() {
  if (isOffline()) return;
  const views = Object.keys(SERVED).filter((view) => SERVED[view]);
  const found = await Promise.all(views.map((view) => isOffered(SERVED[view])));
  offered = views.filter((_, place) => found[place]);
  showNavigation();
}
