// A worker for pages opened from a file, where browsers start none: the script runs in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inner = frame.contentWindow;
      const load = (source) =>
        new Promise((resolve, reject) => {
          const script = inner.document.createElement("script");
          Object.assign(script, { src: source, onload: resolve, onerror: reject });
          inner.document.body.append(script);
        });
      inner.postMessage = (data) => {
        const event = new MessageEvent("message", { data: structuredClone(data) });
        setTimeout(() => this.dispatchEvent(event) && this.onmessage?.(event));
      };
      inner.importScripts = (...urls) => urls.reduce((before, next) => before.then(() => load(next)), Promise.resolve());
      const ready = load(new URL(url, location));
      this.postMessage = (data) => {
        const event = new MessageEvent("message", { data: structuredClone(data) });
        ready.then(() => inner.dispatchEvent(event));
      };
      this.terminate = () => frame.remove();
    }
  };
}
