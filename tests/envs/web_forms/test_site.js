// What is out of place on the pages of a form: parts without size, beyond the window or between pixels.
() => {
  const wrong = [];
  for (const section of document.querySelectorAll("section.page")) {
    document.querySelectorAll("section.page").forEach(one => { one.hidden = one !== section; });
    section.querySelectorAll("[data-row], .field").forEach(one => { one.hidden = false; });
    const { scrollWidth, scrollHeight } = document.documentElement;
    if (scrollWidth > 1024 || scrollHeight > 4000) wrong.push([section.dataset.page, scrollWidth, scrollHeight]);
    for (const face of section.querySelectorAll("input, textarea, .fg-box, button, .fg-calendar-button")) {
      const { left, top, width, height, right } = face.getBoundingClientRect();
      const whole = [left, top, width, height].every(value => Math.abs(value - Math.round(value)) < 0.001);
      if (face.matches(".fg-native, [hidden]")) continue;
      if (!width || !height || !whole || right > 1024 || left < 0)
        wrong.push([face.outerHTML.slice(0, 80), left, top, width, height]);
      const colour = getComputedStyle(face).backgroundColor;
      if (face.matches("textarea, .fg-box, input:not([type=checkbox], [type=radio])") && !colour.startsWith("rgb("))
        wrong.push([face.outerHTML.slice(0, 80), colour]);
    }
  }
  return wrong;
}
