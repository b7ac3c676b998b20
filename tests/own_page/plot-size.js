// A web component with its control in a shadow root.
class PlotSize extends HTMLElement {
  connectedCallback() {
    this.attachShadow({ mode: "open" }).innerHTML = '<label>Square metres <input type="number" id="size" min="25" max="400"></label>';
  }
}
customElements.define("plot-size", PlotSize);
