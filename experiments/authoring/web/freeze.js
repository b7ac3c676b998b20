// Makes a page of the web one that stands still: what cannot be replayed is made inert and named, scripts are taken out.
window.fgFreeze = (() => {
  const inexact = [];
  const say = text => { if (!inexact.includes(text)) inexact.push(text); };
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const shown = element => element.getClientRects().length > 0;
  const look = element => getComputedStyle(element);
  const CONTROLS = "input:not([type=hidden]), select, textarea", BUTTONS = "button, input[type=submit], input[type=image], input[type=reset], input[type=button]";
  const UNSUPPORTED = ["range", "color", "time", "month", "week", "datetime-local"];
  const called = one => `${one.tagName.toLowerCase()} ${JSON.stringify(one.name || one.id || one.getAttribute("aria-label") || one.value || one.textContent.trim().slice(0, 30) || one.type || "")}`;

  function still(element, why) {
    element.setAttribute("inert", "");
    [...(element.labels ?? [])].forEach(label => label.setAttribute("inert", ""));
    if (why) say(`${called(element)}: ${why}; it is only a part of the picture`);
  }

  const usable = control => !control.matches(":disabled") && !UNSUPPORTED.includes(control.type) && !control.closest("[inert]");

  // The form that counts: the one with most controls; of a page without one, all of it.
  function chooseForm() {
    const count = form => [...form.elements].filter(one => one.matches(CONTROLS) && usable(one) && shown(one)).length;
    const forms = all("form"), main = forms.toSorted((a, b) => count(b) - count(a))[0];
    document.body.dataset.own = "";
    if (!main) {
      const form = document.createElement("form");
      form.id = "fg-form";
      form.hidden = true;
      document.body.append(form);
      all(`${CONTROLS}, ${BUTTONS}`).forEach(one => one.setAttribute("form", form.id));
      document.body.dataset.ownForm = "";
      form.noValidate = true;
      return;
    }
    if (main.noValidate) say("the form asks for no validation (novalidate): here it is validated when it is submitted");
    main.noValidate = true;
    // Controls that name the form may stand anywhere in the page.
    const everything = all(`${CONTROLS}, ${BUTTONS}`), isWhole = everything.every(one => one.form !== main || main.contains(one));
    (isWhole ? main : document.body).dataset.ownForm = "";
    everything.forEach(one => {
      if (one.form && one.form !== main) still(one, "it belongs to another form");
      else if (!one.form && !one.matches(BUTTONS)) still(one, "it is outside of the form");
    });
  }

  function stillControls() {
    all(CONTROLS).forEach(one => {
      const name = called(one), hidden = look(one).visibility !== "visible" || look(one).pointerEvents === "none" && !one.labels?.length;
      if (one.closest("[inert]")) return;
      if (one.matches(":disabled")) return still(one);
      if (UNSUPPORTED.includes(one.type)) return still(one, `inputs of the type ${one.type} cannot be captured`);
      if (one.readOnly && one.type === "date") return still(one);
      if (!shown(one)) unseen(one, name);
      else if (hidden) still(one, "it cannot be seen or clicked");
    });
    all("button:disabled, input:disabled").forEach(one => still(one));
    all("select").filter(one => one.querySelector("optgroup")).forEach(one => say(`${called(one)}: the headings of its groups of options are not shown`));
    all("input[list]").forEach(one => { one.removeAttribute("list"); say(`${called(one)}: it makes no suggestions (list)`); });
  }

  // Ticks that are not displayed are ticked by their labels.
  function unseen(one, name) {
    const labelled = [...one.labels].some(shown) && ["checkbox", "radio"].includes(one.type);
    if (!labelled) return still(one, "it is not displayed at first");
    one.style.cssText += "; display: inline-block !important; position: absolute !important; opacity: 0 !important; width: 1px !important; height: 1px !important; margin: 0 !important; pointer-events: none !important";
    say(`${name}: it is not displayed itself and is ticked by its label; unlike there, Tab stops at it`);
  }

  function stillParts() {
    const names = [["iframe, object, embed", "a frame"], ["video, audio", "a video or sound"], ["[contenteditable]:not([contenteditable=false])", "an editable part (contenteditable)"],
      ["canvas", "a canvas"], ["marquee", "an animated part (marquee)"], ["summary", "a part that opens (details)"]];
    names.forEach(([selector, what]) => all(selector).filter(shown).forEach(one => { one.setAttribute("inert", ""); say(`${what}: it is only a part of the picture${one.id ? `: #${one.id}` : ""}`); }));
    all("canvas").forEach(one => { try { const image = new Image(one.width, one.height); image.src = one.toDataURL(); image.style.cssText = one.style.cssText; image.className = one.className; image.id = one.id; one.replaceWith(image); } catch { /* drawn from elsewhere */ } });
    all("marquee").forEach(one => { const still = document.createElement("div"); still.append(...one.childNodes); one.replaceWith(still); });
    const links = all("a[href], area[href]");
    links.forEach(one => one.setAttribute("inert", ""));
    if (links.some(shown)) say(`${links.filter(shown).length} links: clicking them does nothing, pointing at them neither`);
    all("*").filter(one => one.shadowRoot).forEach(one => { one.setAttribute("inert", ""); say(`<${one.tagName.toLowerCase()}>: what a script draws in it is only a part of the picture`); });
    all("[autofocus]").forEach(one => one.removeAttribute("autofocus"));
    all("video").forEach(one => { one.autoplay = false; one.pause(); });
  }

  function stillPlaces() {
    all("body *").forEach(one => {
      const style = look(one);
      if (style.backgroundAttachment === "fixed" && style.backgroundImage !== "none") say("a background that does not scroll with the page: here it does");
      if (style.position === "fixed" && shown(one)) { one.style.setProperty("position", "absolute", "important"); say(`a part that stays where it is when the page is scrolled: here it does not: <${one.tagName.toLowerCase()}${one.id ? ` id=${one.id}` : ""}>`); }
      if (style.position === "sticky") { one.style.setProperty("position", "relative", "important"); one.style.setProperty("inset", "auto", "important"); say("a part that sticks to the window's edge: here it does not"); }
      if (["auto", "scroll"].includes(style.overflowY) && one.scrollHeight > one.clientHeight + 1 && shown(one) && one.tagName !== "TEXTAREA" && one.tagName !== "SELECT") say(`a part of the page that scrolls by itself: here it does not: <${one.tagName.toLowerCase()}${one.id ? ` id=${one.id}` : ""}>`);
    });
    if (document.documentElement.scrollWidth > innerWidth) say(`the page is ${document.documentElement.scrollWidth} px wide: what is right of ${innerWidth} px is cut off`);
    all(`${CONTROLS}, ${BUTTONS}`).filter(one => shown(one) && one.getBoundingClientRect().right > innerWidth && !one.closest("[inert]")).forEach(one => still(one, "it reaches over the window's right edge"));
  }

  // Names and values that tell controls apart.
  function nameControls() {
    const taken = new Map();
    all(CONTROLS).filter(one => usable(one) && !["submit", "button", "reset", "image"].includes(one.type)).forEach((one, i) => {
      const grouped = ["radio", "checkbox"].includes(one.type);
      if (!one.name) { const before = called(one); one.name = one.id || `field_${i + 1}`; say(`${before}: it has no name and is not submitted by a browser; here it is called ${one.name}`); }
      const owner = taken.get(one.name);
      if (owner && !(grouped && owner.type === one.type)) { const before = one.name; one.name = `${before}_${i + 1}`; say(`two controls are called ${before}; here the second one is called ${one.name}`); }
      taken.set(one.name, one);
      if (grouped && !one.hasAttribute("value") && all(`input[type=${one.type}]`).filter(other => other.name === one.name).length > 1) { one.setAttribute("value", (one.labels[0]?.textContent ?? one.nextSibling?.textContent ?? "").trim() || String(i + 1)); say(`${called(one)}: it has no value of its own; here it is ${JSON.stringify(one.value)}`); }
    });
  }

  // What is known not to be drawn as it is there, and colours of text as plain ones.
  function checkTexts() {
    const brush = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
    const colour = (css, ground) => { brush.clearRect(0, 0, 1, 1); [ground, css].filter(Boolean).forEach(one => { brush.fillStyle = one; brush.fillRect(0, 0, 1, 1); }); return [...brush.getImageData(0, 0, 1, 1).data]; };
    all(CONTROLS).filter(one => usable(one) && !["checkbox", "radio"].includes(one.type)).forEach(one => {
      const style = look(one), name = called(one), native = one.matches("select, input[type=file]");
      if (!/^rgb\(/.test(style.color)) {
        const grounds = []; for (let e = one; e; e = e.parentElement) grounds.unshift(look(e).backgroundColor);
        const ground = grounds.reduce((under, css) => `rgb(${colour(css, under).slice(0, 3)})`, "#fff");
        one.style.setProperty("color", `rgb(${colour(style.color, ground).slice(0, 3)})`, "important");
        if (colour(style.color)[3] < 255) say(`${name}: its half-transparent text is drawn in the colour that it has on the plain background`);
      }
      if (style.letterSpacing !== "normal" && parseFloat(style.letterSpacing)) say(`${name}: letter-spacing`);
      if (style.wordSpacing !== "0px") say(`${name}: word-spacing`);
      if (style.textTransform !== "none") say(`${name}: text-transform`);
      if (style.direction === "rtl") say(`${name}: text from right to left`);
      if (style.textShadow !== "none") say(`${name}: text-shadow`);
      if (parseFloat(style.textIndent)) say(`${name}: text-indent`);
      if (style.transform !== "none" || style.rotate !== "none" || style.scale !== "none" || style.zoom !== "1") say(`${name}: it is transformed`);
      if (parseFloat(style.opacity) < 1) say(`${name}: it is half-transparent`);
      if (one.wrap === "off" || style.whiteSpaceCollapse === "nowrap") say(`${name}: lines that are not wrapped`);
      if (/gradient|url/.test(style.backgroundImage) && !native) say(`${name}: a picture or gradient behind its text`);
      one.style.setProperty("font-variant-ligatures", "none", "important");
      if (one.tagName !== "SELECT" && one.type !== "file") one.setAttribute("spellcheck", "false");
    });
  }

  function checkRules() {
    let closed = false;
    const states = /:(user-)?(in)?valid|:(in|out-of)-range|:has\(|:focus-within|:target/g, found = new Set();
    const read = rules => [...rules].forEach(rule => { (rule.selectorText?.match(states) ?? []).forEach(state => found.add(state)); if (rule.cssRules) read(rule.cssRules); });
    [...document.styleSheets].forEach(sheet => { try { read(sheet.cssRules); } catch { closed = true; } });
    if (found.size) say(`styles that follow from ${[...found].join(", ").replace(/\($/, "").replace(/\(,/g, ",")}: they may look otherwise`);
    const pointed = new Set();
    // Whether a rule is of the pointer over what is no control; such rules are taken out where they can be.
    const isPlain = one => shown(one) && !one.closest("a, [inert]") && !one.matches(`${CONTROLS}, ${BUTTONS}, label`) && !one.closest("label");
    const ofOthers = selector => { try { const found = all(selector.replace(/:(hover|active)/g, "")).filter(shown); found.filter(isPlain).forEach(one => pointed.add(one.tagName.toLowerCase())); return found.some(isPlain); } catch { return false; } };
    const hover = owner => { for (let i = owner.cssRules.length - 1; i >= 0; i--) { const rule = owner.cssRules[i]; if (/:(hover|active)/.test(rule.selectorText ?? "") && ofOthers(rule.selectorText)) { if (all(rule.selectorText.replace(/:(hover|active)/g, "")).every(one => !shown(one) || isPlain(one))) { owner.deleteRule(i); continue; } } if (rule.cssRules?.length) hover(rule); } };
    [...document.styleSheets].forEach(sheet => { try { const before = sheet.cssRules.length; hover(sheet); if (sheet.ownerNode?.tagName === "STYLE" && sheet.cssRules.length !== before) sheet.ownerNode.dataset.changed = ""; } catch { closed = true; } });
    if (pointed.size) say(`parts that look otherwise under the pointer: here they do not: ${[...pointed].map(tag => `<${tag}>`).join(", ")}`);
    return closed;
  }

  const heights = () => all("body, body *").map(one => one.getBoundingClientRect().height);

  // Gives what grows with the window the height that it has in the usual one.
  function pin(before) {
    const now = heights();
    all("body, body *").forEach((one, i) => {
      if (Math.abs(now[i] - before[i]) < 0.01 || !shown(one)) return;
      const styles = { "box-sizing": "border-box", height: `${before[i]}px`, "min-height": "0", "max-height": "none" };
      Object.entries(styles).forEach(([name, value]) => one.style.setProperty(name, value, "important"));
    });
  }

  function keepState() {
    all("input").forEach(one => { if (["checkbox", "radio"].includes(one.type)) one.toggleAttribute("checked", one.checked); else if (one.type !== "file" && one.value) one.setAttribute("value", one.value); });
    all("textarea").forEach(one => { const { value } = one; one.textContent = (value.startsWith("\n") ? "\n" : "") + value; });
    all("select").forEach(select => [...select.options].forEach(option => option.toggleAttribute("selected", option.selected)));
    all("style").forEach(one => { try { if ((!one.textContent.trim() || "changed" in one.dataset) && one.sheet) one.textContent = [...one.sheet.cssRules].map(rule => rule.cssText).join("\n"); } catch { /* not ours to read */ } });
    document.adoptedStyleSheets.forEach(sheet => { const style = document.createElement("style"); style.textContent = [...sheet.cssRules].map(rule => rule.cssText).join("\n"); document.head.append(style); });
  }

  const STYLE = `input::-webkit-inner-spin-button, input::-webkit-search-cancel-button { display: none !important }
    input::selection, textarea::selection { color: currentcolor !important; text-shadow: none !important } html { overflow-x: hidden }
    input[type=submit], input[type=reset], input[type=button], input[type=image] { user-select: none !important }`;
  const OURS = ["data-required", "data-add", "data-remove", "data-turn", "data-row", "data-depends", "data-options", "data-when", "data-is", "data-date", "data-least", "data-most", "data-prompt", "popovertarget", "command", "commandfor", "loading", "accesskey"];
  function strip() {
    all("script, noscript, base, meta[http-equiv], meta[charset], link[rel~=preload], link[rel~=modulepreload], link[rel~=prefetch]").forEach(one => one.remove());
    all("*").forEach(one => [...one.attributes].filter(({ name }) => name.startsWith("on") || OURS.includes(name)).forEach(({ name }) => one.removeAttribute(name)));
    const sections = all("section.page");
    if (sections.length > 1) { sections.forEach(one => one.classList.remove("page")); say("sections of the class page lose it"); }
    all(".repeat").forEach(one => one.classList.remove("repeat"));
  }

  return {
    still() { chooseForm(); stillControls(); stillParts(); nameControls(); checkTexts(); checkRules(); stillPlaces(); },
    heights, pin,
    html() {
      const base = document.baseURI;
      keepState();
      strip();
      all(`${CONTROLS}, ${BUTTONS}`).forEach((one, i) => { one.dataset.n = i; });
      const { doctype } = document, root = document.documentElement.cloneNode(false).outerHTML.replace("</html>", "");
      const kind = doctype ? `<!DOCTYPE ${doctype.name}${doctype.publicId ? ` PUBLIC "${doctype.publicId}"` : ""}${doctype.systemId ? `${doctype.publicId ? "" : " SYSTEM"} "${doctype.systemId}"` : ""}>\n` : "";
      const style = document.createElement("style");
      style.textContent = STYLE;
      document.head.append(style);
      const link = document.createElement("base"), meta = document.createElement("meta");
      link.href = base;
      meta.setAttribute("charset", "utf-8");
      document.head.prepend(meta, link);
      const roots = all("*").map(one => one.shadowRoot).filter(Boolean);
      return { html: `${kind}${root}${document.documentElement.getHTML({ shadowRoots: roots })}</html>`, inexact, height: document.documentElement.scrollHeight };
    },
  };
})();
