// In the page's own world: chance is fixed, and nothing goes around the proxy.
(() => {
  let seed = 20260302;
  const random = () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const hex = (length) => Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join("");
  Math.random = random;
  Crypto.prototype.getRandomValues = function getRandomValues(array) {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    for (let at = 0; at < bytes.length; at++) bytes[at] = random() * 256;
    return array;
  };
  Crypto.prototype.randomUUID = function randomUUID() { return [hex(8), hex(4), `4${hex(3)}`, `a${hex(3)}`, hex(12)].join("-"); };
  globalThis.open = function open(url) {
    document.dispatchEvent(new CustomEvent("formgym-window", { detail: String(url ?? "") }));
    return null;
  };
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) delete globalThis[name];
})();
