// Finds, reads and watches the controls of a page, in a world of its own that the page's scripts cannot reach.
globalThis.formgym = (() => {
  const SKIPPED = ["hidden", "submit", "button", "reset", "image"];
  const NATIVE = `input${SKIPPED.map((type) => `:not([type=${type}])`).join("")}, select, textarea`;
  const ROLES = ["checkbox", "switch", "radio", "combobox", "listbox", "slider", "spinbutton", "textbox", "searchbox"];
  const WIDGET = ROLES.map((role) => `[role=${role}]`).join() + ", [contenteditable]:not([contenteditable=false])";
  const CONTROL = `${NATIVE}, ${WIDGET}`;
  const BUTTON = "button, [type=submit], [type=button], [type=image], [type=reset], [role=button], summary, a[href]";
  const OTHER = "label, [role=option], [role=menuitem], [role=tab], [tabindex], [onclick]";
  const ERRORS = "[aria-invalid=true], .is-invalid, .is-danger, .invalid, .error, [class*=error]";
  const MAX_CONTROLS = 2000;

  // Places: the document, its open shadow roots, and the frames of its origin.
  const inside = (element) => {
    try { return element.shadowRoot ?? element.contentDocument ?? null; } catch { return null; }
  };
  function* roots(root = document) {
    yield root;
    for (const element of root.querySelectorAll("*")) {
      const inner = inside(element);
      if (inner) yield* roots(inner);
    }
  }
  const all = (selector) => [...roots()].flatMap((root) => [...root.querySelectorAll(selector)]);
  const find = (path) => path.split(">>>").reduce(
    (scopes, part, at) => scopes.map((one) => (at ? inside(one) : one)).filter(Boolean)
      .flatMap((scope) => [...scope.querySelectorAll(part.trim())]), [document]);
  const hostOf = (root) => root.host ?? root.defaultView?.frameElement ?? null;
  const parentOf = (element) => element.parentElement ?? hostOf(element.getRootNode());
  const selectorOf = (element) => {
    const root = element.getRootNode(), host = hostOf(root), name = element.getAttribute("name");
    const only = (selector) => root.querySelectorAll(selector).length === 1 && selector;
    let own = (element.id && only(`#${CSS.escape(element.id)}`))
      || (name && only(`${element.localName}[name="${CSS.escape(name)}"]`));
    for (let part = element, path = ""; !own; part = part.parentElement) {
      const twins = [...(part.parentNode?.children ?? [])].filter((one) => one.localName === part.localName);
      path = `${part.localName}${twins.length > 1 ? `:nth-of-type(${twins.indexOf(part) + 1})` : ""}${path && ` > ${path}`}`;
      own = only(path) || (!part.parentElement && path);
    }
    return host ? `${selectorOf(host)} >>> ${own}` : own;
  };
  const boxOf = (element) => {
    let { left, top, right, bottom } = element.getBoundingClientRect(), view = [];
    for (let frame = element.ownerDocument.defaultView?.frameElement; frame;
      frame = frame.ownerDocument.defaultView?.frameElement) {
      const outer = frame.getBoundingClientRect(), x = outer.left + frame.clientLeft, y = outer.top + frame.clientTop;
      [left, top, right, bottom] = [left + x, top + y, right + x, bottom + y];
      view = boxOf(frame).slice(0, 4);
    }
    return [left, top, right, bottom, ...view]; // The last four: of the frame that it is in.
  };
  const hit = (x, y) => {
    for (let root = document, element = null; ;) {
      const next = root.elementFromPoint(x, y);
      if (!next || next === element) return element;
      element = next;
      const inner = inside(element);
      if (!inner) return element;
      if (!element.shadowRoot) {
        const outer = element.getBoundingClientRect();
        [x, y] = [x - outer.left - element.clientLeft, y - outer.top - element.clientTop];
      }
      root = inner;
    }
  };
  const focused = () => {
    let element = document.activeElement;
    while (element && inside(element)?.activeElement) element = inside(element).activeElement;
    return element && element !== element.ownerDocument.body ? element : null;
  };
  const visible = (element) => {
    if (!element.checkVisibility({ visibilityProperty: true })) return false;
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0;
  };

  // Controls: what they are, and what they hold.
  const roleOf = (element) => element.getAttribute("role") ?? "";
  const kindOf = (element) => {
    const type = element.type;
    if (element.localName === "select") return element.multiple ? "multi_select" : "select";
    if (element.localName === "textarea") return "textarea";
    if (element.localName === "input") return type === "search" ? "text" : type;
    const kinds = { switch: "checkbox", checkbox: "checkbox", radio: "radio", slider: "range", spinbutton: "number" };
    const role = roleOf(element);
    if (["combobox", "listbox"].includes(role)) return element.ariaMultiSelectable === "true" ? "multi_select" : "select";
    return kinds[role] ?? (element.isContentEditable && role === "" ? "textarea" : "text");
  };
  const textOf = (node) => {
    if (node.nodeType === 3) return node.data.replace(/\s+/g, " ");
    if (node.nodeType !== 1 || node.matches?.("select, datalist, textarea, script, style, template, [aria-hidden=true]")) return "";
    if (getComputedStyle(node).display === "none") return "";
    const edge = /^(inline|contents)/.test(getComputedStyle(node).display) ? "" : "\n";
    return edge + [...node.childNodes].map(textOf).join("") + edge;
  };
  const tidy = (text) => text.replace(/\s+/g, " ").trim().replace(/\s*[*:]+$/, "");
  const referred = (element, attribute) => (element.getAttribute(attribute) ?? "").split(/\s+/).filter(Boolean)
    .map((id) => element.getRootNode().getElementById?.(id)).filter(Boolean).map(textOf).join(" ");
  const before = (element, members) => { // The text in front of a control or a group, after any other control.
    for (let part = element; part?.parentElement && part !== document.body; part = part.parentElement) {
      let text = "";
      for (let other = part.previousSibling; other; other = other.previousSibling) {
        if (other.matches?.(CONTROL) || other.querySelector?.(CONTROL)) break;
        text = `${textOf(other)} ${text}`;
        if (other.nodeType === 1 && tidy(text)) break;
      }
      if (tidy(text)) return text;
      if (part.previousElementSibling && [...part.parentElement.querySelectorAll(CONTROL)].some((one) => !members.includes(one))) return "";
    }
    return "";
  };
  const after = (element) => {
    let text = "";
    for (let other = element.nextSibling; other && !other.matches?.(CONTROL) && !other.querySelector?.(CONTROL);
      other = other.nextSibling) text += textOf(other);
    return text;
  };
  const isConcealed = (element) => Number(getComputedStyle(element).opacity) === 0
    || visible(element.parentElement) && element.getBoundingClientRect().width <= 3;
  const headingOf = (element) => { // What stands right above a file's button, which is its label.
    let part = element.labels?.[0];
    if (!part || !part.contains(element) && part.parentElement !== element.parentElement) return "";
    while (part.parentElement && (!part.previousElementSibling || part.previousElementSibling === element)) part = part.parentElement;
    const heading = part.previousElementSibling;
    return heading?.matches("label, span, p, div, strong, b") && !heading.control && !heading.querySelector(CONTROL) ? textOf(heading) : "";
  };
  // All texts that may be the label of a control, the most reliable first; empty where there is none.
  const labelsOf = (element) => {
    const host = hostOf(element.getRootNode()), isBox = ["checkbox", "radio"].includes(kindOf(element));
    const isFile = kindOf(element) === "file", own = [...(element.labels ?? [])].map(textOf).join(" ");
    // A file's own name is often that of its button, and a switch's label the words of its states.
    return [referred(element, "aria-labelledby"), isFile && isConcealed(element) && headingOf(element), isFile && own,
      element.getAttribute("aria-label"), own, host?.shadowRoot && host.getAttribute("label"), isBox && (element.matches(NATIVE) ? after : textOf)(element),
      element.getAttribute("placeholder"), element.title, before(element, [element]),
      element.getAttribute("name"), element.id].map((text) => tidy(text || ""));
  };
  const labelOf = (element) => labelsOf(element).find(Boolean) ?? "";
  const groupLabel = (element, members) => {
    const group = element.closest("fieldset, [role=radiogroup], [role=group]"), first = members[0];
    if (group) {
      const legend = group.querySelector("legend");
      const name = tidy(referred(group, "aria-labelledby") || group.getAttribute("aria-label") || (legend ? textOf(legend) : ""));
      const isShared = [...group.querySelectorAll(CONTROL)].some((one) => !members.includes(one));
      const near = isShared && members.length > 1 && tidy(before(first.closest("label") ?? first, members));
      if (near || name) return near || name;
    }
    for (let part = element.closest("label") ?? element; part?.parentElement; part = part.parentElement)
      for (let near = part.previousSibling; near; near = near.previousSibling) {
        const foreign = near.nodeType === 1 && (near.matches(`${CONTROL}, label[for]`) || near.querySelector(CONTROL));
        if (!foreign && tidy(textOf(near))) return tidy(textOf(near));
      }
    return element.getAttribute("name") ?? "";
  };
  const ticked = (element) => (element.localName === "input" ? element.checked : element.ariaChecked === "true");
  const titleOf = (element) => { // The first line of its label; others describe it.
    const lines = textOf(element.labels?.[0] ?? document.createTextNode("")).split("\n").map(tidy).filter(Boolean);
    return lines[0] ?? labelOf(element);
  };
  const choice = (element) => [element.localName === "input" ? element.value : element.dataset?.value ?? "", titleOf(element)];
  const nameless = (radio, selector) => { // The radio buttons that only a script makes a group.
    for (let part = radio.parentElement; part; part = part.parentElement) {
      const group = [...part.querySelectorAll(selector)];
      if (group.length > 1) return group;
    }
    return [radio];
  };
  const siblings = (element) => {
    const name = element.getAttribute("name"), kind = kindOf(element);
    if (!["radio", "checkbox"].includes(kind)) return [element];
    if (element.localName === "input")
      return name ? [...element.getRootNode().querySelectorAll(`input[type=${kind}][name="${CSS.escape(name)}"]`)]
        .filter((one) => one.form === element.form) : kind === "radio" ? nameless(element, "input[type=radio]:not([name])") : [element];
    const group = element.closest("[role=radiogroup]");
    return kind !== "radio" ? [element] : group ? [...group.querySelectorAll("[role=radio]")] : nameless(element, "[role=radio]");
  };
  const isSet = (field) => Object.keys(field.texts ?? {}).length > 0; // By buttons, which stand for the hidden control.
  const membersOf = (field) => {
    if (isSet(field)) return all(BUTTON).filter((one) => Object.values(field.texts).includes(tidy(textOf(one))));
    let found = field.selector ? find(field.selector) : all(`[name="${CSS.escape(field.name)}"]`).filter((one) => one.matches(NATIVE));
    if (!found.length && !field.selector) found = all(`#${CSS.escape(field.name)}`);
    if (!found.length && !field.selector) found = all(`[name="${CSS.escape(field.name)}"]`);
    found = found.flatMap((one) => (one.matches(CONTROL) ? [one] : [...one.querySelectorAll(CONTROL)].length
      ? [...one.querySelectorAll(CONTROL)] : inside(one) ? [...inside(one).querySelectorAll(CONTROL)] : [one]));
    if (found.length && kindOf(found[0]) === "radio") found = [...new Set(found.flatMap(siblings))];
    const natives = found.filter((one) => one.matches(NATIVE));
    return natives.length ? natives : found;
  };
  const isPopup = (list) => roleOf(list) === "listbox" && list.id // The list of a combo box, which is the field.
    && list.getRootNode().querySelector(["controls", "owns"].map((name) => `[role=combobox][aria-${name}~="${CSS.escape(list.id)}"]`).join()) !== null;
  const optionsOf = (element) => (element.localName === "select"
    ? [...element.options].filter((one) => one.value !== "").map((one) => [one.value, tidy(one.text)])
    : [...element.querySelectorAll("[role=option]")].map((one) => [one.dataset.value ?? "", tidy(textOf(one))]));
  const valueOf = (members, control) => {
    const [first] = members;
    if (!first) return undefined;
    const kind = kindOf(first);
    if (kind === "radio" || control === "checkbox_group")
      return { chosen: members.filter(ticked).map(choice) };
    if (kind === "checkbox") return ticked(first);
    if (first.localName === "select")
      return { chosen: [...first.selectedOptions].filter((one) => one.value !== "").map((one) => [one.value, tidy(one.text)]) };
    if (kind === "file") return { chosen: [...first.files].map((file) => [file.name, file.name]) };
    if (first.matches("input, textarea")) return first.value;
    if (first.matches("[role=slider], [role=spinbutton]")) return first.ariaValueText || first.ariaValueNow || "";
    if (first.matches("[role=listbox], [role=combobox]")) {
      const chosen = [...first.querySelectorAll("[role=option][aria-selected=true]")].map((one) => [one.dataset.value ?? "", tidy(textOf(one))]);
      return { chosen: chosen.length ? chosen : [tidy(first.ariaValueText || textOf(first))].filter(Boolean).map((text) => [text, text]) };
    }
    if (first.localName.includes("-") && first.getAttribute("name")) {
      const form = first.closest("form");
      return form ? [...new FormData(form).getAll(first.getAttribute("name"))].map(String).join(", ") : "";
    }
    return (first.innerText ?? "").replace(/\n$/, "");
  };

  // What happens: submissions.
  const state = { fields: [], submit: "", submitted: "", submits: [], prints: [], windows: [], chain: [] };
  const top_ = (() => { try { return window.top.formgym?.state ?? state; } catch { return state; } })();
  const read = () => window.top !== window && top_ !== state ? window.top.formgym.read() : Object.fromEntries(state.fields.map((field) => [field.name, valueOf(isSet(field) ? find(field.selector) : membersOf(field), field.control)]));
  const source = (event) => event.composedPath()[0];
  const watch = (name, act) => addEventListener(name, (event) => event.isTrusted && act(event, source(event)), { capture: true });
  addEventListener("formgym-window", (event) => top_.windows.push(String(event.detail)), { capture: true });
  watch("click", (event) => {
    const link = event.composedPath().find((one) => one.localName === "a" && one.target && one.target !== "_self");
    if (link) top_.windows.push(link.href);
  });
  addEventListener("beforeprint", () => top_.prints.push(1));
  const controlsIn = () => all(CONTROL).filter((one) => shown(one));
  const record = (event, form, isDeclared) => {
    top_.submits.push({ event, form, isReset: false, controls: controlsIn(), errors: all(ERRORS).filter(visible).length });
    const data = form ? [...new FormData(form)].map(([name, value]) => [name, typeof value === "string" ? value : value.name]) : [];
    formgymRecord(JSON.stringify({ values: read(), data, isDeclared }));
  };
  const declared = (elements) => top_.submit !== "" && find(top_.submit).some((one) => elements.includes(one));
  addEventListener("submit", (event) => record(event, source(event), declared([event.submitter])), { capture: true });
  addEventListener("reset", (event) => {
    for (const one of top_.submits) one.isReset ||= one.form === source(event);
  }, { capture: true });
  watch("click", (event) => {
    const path = event.composedPath();
    if (declared(path)) record(event, path.find((one) => one.localName === "form") ?? null, true);
  });

  // For those who play the page.
  const shown = (member) => { // What can be clicked of a control: itself, its label, or what stands for it.
    const reached = (element) => {
      const [left, top, right, bottom] = boxOf(element), x = (left + right) / 2, y = (top + bottom) / 2;
      if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return true;
      const found = hit(x, y);
      return !found || element === found || element.contains(found) || found.contains(element) && found.closest("label")
        || [...(member.labels ?? [])].some((label) => label.contains(found));
    };
    const onPage = (element) => { // Not beyond the left or the top edge, where nothing scrolls to.
      const { right, bottom } = element.getBoundingClientRect(), { scrollX, scrollY } = element.ownerDocument.defaultView;
      return right + scrollX > 0 && bottom + scrollY > 0;
    };
    const usable = (element) => visible(element) && element.getBoundingClientRect().width > 3
      && Number(getComputedStyle(element).opacity) > 0 && onPage(element) && reached(element);
    if (usable(member)) return member;
    // A label gives a list the focus alone, and what is drawn in its stead opens.
    const label = [...(member.labels ?? [])].find((one) => visible(one)), isList = /select/.test(kindOf(member));
    if (label && !isList) return label;
    if (visible(member) && ["range", "file", "color"].includes(kindOf(member))) return member;
    if (!member.parentElement?.checkVisibility({ visibilityProperty: true })) return null;
    const others = (part) => [...part.querySelectorAll(NATIVE)].some((one) => one !== member && one.name && one.name !== member.name);
    for (let part = member.parentElement; part && !others(part); part = part.parentElement) {
      const free = [...part.querySelectorAll(`${CONTROL}, ${BUTTON}, span`)].filter((one) => !one.name && visible(one));
      if (free.length) return free[0];
    }
    return (isList && visible(member) && label) || null;
  };
  const described = (element) => {
    const kind = kindOf(element), group = siblings(element), listed = group.length > 1 || kind === "radio";
    const common = listed ? groupLabel(element, group) : "", member = kind === "radio" && !element.getAttribute("name") ? group[0] : element;
    const labels = listed ? [common, tidy(before(element, group)), element.name ?? ""] : labelsOf(element);
    return { selector: selectorOf(member), name: element.getAttribute("name") ?? "", id: element.id, control: kind,
      label: labelOf(element), group: common, option: listed ? choice(element)[0] : "",
      options: optionsOf(element), box: boxOf(shown(element) ?? element), visible: shown(element) !== null,
      value: valueOf([element], kind), required: !!element.required || element.ariaRequired === "true",
      readonly: !!element.readOnly || !!element.disabled, placeholder: element.getAttribute("placeholder") ?? "",
      labels, accept: element.accept ?? "", several: !!element.multiple };
  };
  const formOf = (element) => (!element || element.localName === "form" ? element : element.form ?? formOf(parentOf(element)));
  const isControl = (element) => { // Whether a click on an element does something.
    for (let part = element; part; part = parentOf(part))
      if (part.matches(`${CONTROL}, ${BUTTON}, ${OTHER}`) || getComputedStyle(part).cursor === "pointer") return true;
    return false;
  };
  const fieldAt = (element) => state.fields.find((field) => membersOf(field).some((member) => member === element
    || member.contains(element) || shown(member) === element || [...(member.labels ?? [])].some((label) => label.contains(element))))?.name ?? null;
  const scrollers = (x, y) => {
    const found = [];
    for (let part = hit(x, y); part; part = parentOf(part)) found.push(part, part.ownerDocument.scrollingElement);
    return [...new Set(found)].filter(Boolean);
  };
  const submitted = (submit) => { // Whether a submit event has led to a submission, as far as the page itself shows.
    const { event, form } = submit;
    if ((event.type === "submit" && !event.defaultPrevented) || submit.isReset) return "sent";
    if (controlsIn().some((one) => !submit.controls.includes(one))) return "next";
    if (form && (!form.isConnected || !visible(form))) return "gone";
    return (!form || form.matches(":valid")) && all(ERRORS).filter(visible).length <= submit.errors ? "valid" : "refused";
  };

  const sheet = new CSSStyleSheet();
  sheet.replaceSync("*, html { caret-color: transparent !important; }");
  return {
    state, read, find, visible, shown, boxOf, all, selectorOf, described, membersOf, textOf, tidy, BUTTON, focused, hit,
    // Ends what moves, as Playwright's screenshots do; the number of animations that it has ended.
    still() {
      let ended = 0;
      for (const root of roots()) {
        if (root.getAnimations) for (const one of root.getAnimations())
          if (one.playState === "running") {
            ended += 1;
            try { one.effect.getComputedTiming().endTime === Infinity ? one.cancel() : one.finish(); } catch { one.cancel(); }
          }
        const view = root.defaultView;
        if (view?.formgym && !root.adoptedStyleSheets.includes(view.formgym.sheet)) root.adoptedStyleSheets.push(view.formgym.sheet);
      }
      return ended;
    },
    sheet,
    at: (x, y) => {
      const element = hit(x, y);
      state.chain = scrollers(x, y);
      return { control: !!element && isControl(element), field: element ? fieldAt(element) : null,
        several: !!element?.closest?.("select")?.multiple };
    },
    scrolled: () => state.chain.reduce((sum, one) => sum + one.scrollTop, 0),
    report() {
      const focus = focused();
      return { values: read(), prints: state.prints.splice(0).length, windows: state.windows.splice(0),
        focus: focus && { selector: selectorOf(focus), kind: focus.matches(CONTROL) ? kindOf(focus) : "", field: fieldAt(focus) },
        outcomes: state.submits.splice(0).map(submitted), shows: state.submitted ? find(state.submitted).some(visible) : false };
    },
    setColor(value) { // What no input does if it is no colour.
      const element = focused(), before = element.value;
      element.value = value;
      if (element.value !== value) element.value = before;
      for (const name of ["input", "change"]) element.dispatchEvent(new Event(name, { bubbles: true, composed: name === "input" }));
    },
    // What is there to be entered into: the field's controls, with what can be clicked of each.
    info(field) {
      const members = membersOf(field), [first] = members;
      if (!first) return null;
      const bound = (name) => Number(first[name] || first.getAttribute(`aria-value${name}`) || { min: 0, max: 100, step: 1 }[name]);
      return { kind: isSet(field) ? "select" : kindOf(first), suggests: first.localName === "input" && roleOf(first) === "combobox", bounds: ["min", "max", "step"].map(bound), box: boxOf(first),
        members: members.map((one) => {
          const at = shown(one);
          return { box: at && boxOf(at), itself: at === one, ticked: ticked(one), names: choice(one) };
        }),
        options: first.localName !== "select" ? [] : [...first.options].map((one) =>
          ({ names: [one.value, tidy(one.text)], chosen: one.selected,
            disabled: one.disabled || one.parentElement.disabled === true, box: boxOf(one) })) };
    },
    place: (path) => {
      const [element] = find(path), at = element && shown(element);
      return at ? boxOf(at) : null;
    },
    holds: (field) => { // What is chosen, by value and text, or the value.
      const held = valueOf(membersOf(field), field.control);
      return held?.chosen ?? held ?? "";
    },
    // Where an element with just this text is on top.
    text(wanted, among = "li, a, button, span, div, td, option, label, [role]") {
      const found = all(among).filter((one) => visible(one)
        && tidy(textOf(one)) === tidy(wanted) && ![...one.children].some((inner) => tidy(textOf(inner)) === tidy(wanted)));
      const free = found.filter((one) => {
        const [left, top, right, bottom] = boxOf(one), seen = hit((left + right) / 2, (top + bottom) / 2);
        return !seen || one.contains(seen) || seen.contains(one);
      });
      const last = free.findLast((one) => one.closest("[role=option], [role=listbox], li, td")) ?? free.at(-1);
      return last ? boxOf(last) : null;
    },
    // What opens the part of the page in which a field is hidden.
    opener(field) {
      for (let part = membersOf(field)[0]; part; part = parentOf(part)) {
        const summary = part.localName === "details" && !part.open && part.querySelector("summary");
        const id = part.id && CSS.escape(part.id);
        const button = !visible(part) && id && all(`[aria-controls="${id}"], [href="#${id}"], [data-bs-target="#${id}"], [data-target="#${id}"]`).find(visible);
        if (summary || button) return boxOf(summary || button);
      }
      return null;
    },
    problems: () => [...all(CONTROL).filter((one) => one.validationMessage && one.matches(":invalid"))
      .map((one) => `${labelOf(one)}: ${one.validationMessage}`), ...all(ERRORS).filter(visible).map(textOf).map(tidy)].filter(Boolean).slice(0, 5),
    // Why texts cannot be entered: a flag of ValidityState or what else, or nothing. Copies of the controls are asked.
    rejections: (pairs) => pairs.map(([path, text]) => {
      const copy = find(path)[0].cloneNode(false);
      copy.value = text;
      if (copy.value !== text) return "badInput";
      if (copy.maxLength >= 0 && text.length > copy.maxLength) return "tooLong";
      if (copy.minLength > 0 && text.length < copy.minLength) return "tooShort";
      for (const flag in copy.validity) if (flag !== "valid" && copy.validity[flag]) return flag;
      return "";
    }),
    // Hidden inputs that buttons set, found by pressing each: name, value, and the text of its button.
    setters: () => all("button[type=button]").filter(visible).flatMap((button) => {
      const hidden = all("input[type=hidden][name]"), values = hidden.map((one) => one.value);
      button.click();
      return hidden.filter((one, i) => one.value !== values[i] && one.value !== "").map((one) =>
        ({ name: one.name, value: one.value, text: tidy(textOf(button)), label: tidy(before(button, [])) }));
    }),
    controls: () => all(CONTROL).filter((one) => !one.parentElement?.closest("[contenteditable]")
      && !one.closest("[aria-hidden=true]") && !isPopup(one)).slice(0, MAX_CONTROLS).map(described),
    buttons: () => all(BUTTON).filter(visible).slice(0, MAX_CONTROLS).map((one) => ({ selector: selectorOf(one), box: boxOf(one),
      text: tidy(textOf(one)) || one.value || one.ariaLabel || "", declared: state.submit !== "" && find(state.submit).includes(one),
      submits: !!one.form && ["submit", "image"].includes(one.type),
      fields: one.form ? state.fields.filter((field) => formOf(membersOf(field)[0]) === one.form).length : 0,
      disabled: !!one.disabled || one.ariaDisabled === "true", link: one.localName === "a" })),
  };
})();
