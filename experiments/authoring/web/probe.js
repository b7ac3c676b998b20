// Uses every control of a page a little, and tells which of them a script answers by changing the page.
() => new Promise(resolve => {
  const controls = [...document.querySelectorAll("input:not([type=hidden]), select, textarea, button[type=button]")].filter(one => !one.matches(":disabled") && one.getClientRects().length && one.type !== "file" && one.type !== "submit" && one.type !== "reset" && one.type !== "image");
  const state = () => controls.map(one => `${one.value}|${one.checked}|${one.disabled}`);
  const called = one => `${one.tagName.toLowerCase()} ${JSON.stringify(one.name || one.id || one.textContent.trim().slice(0, 30))}`;
  const found = new Set();
  let changes = 0;
  new MutationObserver(list => { changes += list.filter(one => !["value", "style"].includes(one.attributeName) || one.target.tagName !== "INPUT").length; }).observe(document.documentElement, { subtree: true, childList: true, attributes: true, characterData: true });
  const rest = () => new Promise(done => setTimeout(done, 15));
  const use = one => { // what it holds then
    if (one.type === "button" || ["checkbox", "radio"].includes(one.type)) { one.click(); return one.value; }
    if (one.tagName === "SELECT") one.selectedIndex = (one.selectedIndex + 1) % Math.max(one.options.length, 1);
    else one.value = one.type === "number" ? "7" : one.type === "date" ? "2024-02-03" : "Sample 7";
    const held = one.value;
    ["keydown", "input", "keyup", "change", "blur"].forEach(name => one.dispatchEvent(new Event(name, { bubbles: true })));
    return held;
  };
  addEventListener("submit", event => event.preventDefault(), true);
  window.open = () => null;
  window.alert = window.confirm = window.prompt = () => null;
  (async () => {
    for (const one of controls.slice(0, 150)) {
      changes = 0;
      const others = () => state().filter((_, i) => controls[i] !== one && !(one.type === "radio" && controls[i].name === one.name)).join();
      const before = others();
      let held = one.value;
      try { held = use(one); } catch { /* the page's own affair */ }
      await rest();
      if (changes || others() !== before || one.value !== held) found.add(called(one));
    }
    resolve([...found]);
  })();
});
