// Keeps the folder in the browser and answers from there. The list of files and their digest stand above.
// A new version is kept beside the old one, which goes when no page of it is open any more.

const MINE = `bidcascade ${registration.scope} `;
const NAME = MINE + DIGEST;

addEventListener("install", (event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(NAME);
    await cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" })));
  })());
});

addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    const old = (await caches.keys()).filter((name) => name.startsWith(MINE) && name !== NAME);
    await Promise.all(old.map((name) => caches.delete(name)));
    await clients.claim();
  })());
});

async function answer(request) {
  const cache = await caches.open(NAME);
  // the page has one address, with or without its file's name
  const isPage = new URL(request.url).pathname === new URL("index.html", registration.scope).pathname;
  return await cache.match(isPage ? registration.scope : request, { ignoreSearch: true }) ?? fetch(request);
}

addEventListener("fetch", (event) => {
  if (event.request.method === "GET" && event.request.url.startsWith(registration.scope)) {
    event.respondWith(answer(event.request));
  }
});
