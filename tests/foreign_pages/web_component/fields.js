const css = `
  :host { display: block; margin-bottom: 14px; }
  label, .label { display: block; font-weight: 600; margin-bottom: 4px; }
  input:not([type=radio]), select, textarea { font: inherit; width: 100%; box-sizing: border-box; padding: 8px; border: 1px solid #a79; border-radius: 6px; }
  .option { display: inline-block; font-weight: 400; margin-right: 16px; }
  button { font: inherit; border: 1px solid #a79; border-radius: 99px; padding: 4px 14px; background: #eee; }
  button[aria-checked=true] { background: #2b6e4f; color: #fff; }
`

/** A form-associated element whose control lives in a shadow tree. */
class FormElement extends HTMLElement {
  static formAssociated = true
  internals = this.attachInternals()

  connectedCallback() {
    const root = this.attachShadow({ mode: 'open', delegatesFocus: true })
    root.innerHTML = `<style>${css}</style>${this.template(this.getAttribute('label'))}`
    root.addEventListener('input', () => this.internals.setFormValue(this.value))
  }

  get options() { return this.getAttribute('options').split('|') }
  get name() { return this.getAttribute('name') }
  get value() { return this.shadowRoot.querySelector('input, select, textarea').value }
}

customElements.define('x-field', class extends FormElement {
  template(label) {
    const type = this.getAttribute('type') || 'text'
    const control = type === 'textarea' ? '<textarea id="c" rows="3"></textarea>' : `<input id="c" type="${type}">`
    return `<label for="c">${label}</label>${control}`
  }
})

customElements.define('x-select', class extends FormElement {
  template(label) {
    const options = this.options.map(option => `<option>${option}</option>`).join('')
    return `<label for="c">${label}</label><select id="c"><option value="">–</option>${options}</select>`
  }
})

customElements.define('x-choice', class extends FormElement {
  template(label) {
    const radios = this.options.map(option =>
      `<label class="option"><input type="radio" name="r" value="${option.toLowerCase()}"> ${option}</label>`)
    return `<div class="label">${label}</div><div role="radiogroup" aria-label="${label}">${radios.join('')}</div>`
  }
  get value() { return this.shadowRoot.querySelector(':checked')?.value ?? null }
})

customElements.define('x-toggle', class extends FormElement {
  template(label) { return `<button type="button" role="switch" aria-checked="false">${label}</button>` }

  connectedCallback() {
    super.connectedCallback()
    const button = this.shadowRoot.querySelector('button')
    button.addEventListener('click', () => {
      const on = button.getAttribute('aria-checked') !== 'true'
      button.setAttribute('aria-checked', on)
      this.internals.setFormValue(on ? 'yes' : null)
    })
  }
})

/** Shadow trees within a shadow tree: street and town as fields of their own. */
customElements.define('x-address', class extends HTMLElement {
  connectedCallback() {
    this.attachShadow({ mode: 'open' }).innerHTML = `<fieldset><legend>${this.getAttribute('label')}</legend>
      <x-field name="street" label="Street"></x-field><x-field name="town" label="Town"></x-field></fieldset>`
  }
})
