// Long work lets other questions in now and then.

const OFTEN_MS = 50;

/** Function to be awaited in a loop with how far it is: now and then it awaits `tell`, if there is one. */
export function paced(tell) {
  let last = performance.now();
  return async (done) => {
    if (!tell || performance.now() - last < OFTEN_MS) return;
    await tell(done);
    last = performance.now();
  };
}
