// Addresses of the page's own scripts, for browsers that want such addresses vouched for.

const OWN = /^(\/static\/engine\/(?:worker|bidcascade)\.js|blob:.+|systems\/[^/]+\.js|solved-deals\.js|themes\.js|sw\.js)$/;

function checked(address) {
  if (OWN.test(address)) return address;
  throw new TypeError(`no script of this page: ${address}`);
}

const policy = globalThis.trustedTypes?.createPolicy("bidcascade", { createScriptURL: checked });

/** The address, to be given to `Worker`, a script element or the service worker's registration. */
export function ownScript(address) {
  return policy ? policy.createScriptURL(address) : checked(address);
}
