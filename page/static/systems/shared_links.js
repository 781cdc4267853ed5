// The address of what is shown, to be given to others: systems of one's own travel in it.

import { outlineOfTexts } from "../engine_client.js";
import { zipOf } from "../files/zip_files.js";
import { saveBlob } from "../frame/downloads.js";
import { state } from "../state.js";
import { ownSystem, wholeText } from "./own_systems.js";
import { withOptions } from "./saved_texts.js";
import { lettersOfSystem, sumOf } from "./system_links.js";

/** Systems of one's own that the page shows something of. */
function shownSystems({ table, other }) {
  return [...new Set([table, ...other.split(",")])].map(ownSystem).filter(Boolean);
}

/** Address of what is shown with the systems that it needs, and those that are `tooLong` for it. */
export async function sharedAddress() {
  const now = state();
  let address = location.href;
  const tooLong = [];
  for (const system of shownSystems(now)) {
    const letters = await lettersOfSystem(system, sumOf(await wholeText(system)));
    if (letters === null) tooLong.push(system);
    else address += `&system=${letters}`;
  }
  return { address, tooLong };
}

/** Save a system as one file, which the page opens: all texts that it reads, with its options written into them. */
export async function saveSystem(system) {
  const whole = await wholeText(system);
  const { files } = await outlineOfTexts(whole);
  const names = new Set([system.main, ...files, ...Object.keys(system.files)]);
  const texts = new Map([...names].filter((name) => Object.hasOwn(whole.files, name)).map((name) => [name, whole.files[name]]));
  saveBlob(zipOf(withOptions(texts, whole.options)), `${system.name}.zip`);
}
