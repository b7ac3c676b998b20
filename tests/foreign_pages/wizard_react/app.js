const h = React.createElement
const { useState, useId } = React

function Field({ label, error, children }) {
  const id = useId()
  return h('div', { className: 'field' }, h('label', { htmlFor: id }, label),
    React.cloneElement(children, { id, 'aria-invalid': !!error }), error && h('span', { className: 'error' }, error))
}

function Options({ legend, name, type, options, value, onChange }) {
  const picked = option => (type === 'radio' ? value === option : value.includes(option))
  const toggle = option => onChange(type === 'radio' ? option
    : picked(option) ? value.filter(other => other !== option) : [...value, option])
  return h('fieldset', null, h('legend', null, legend), options.map(option => h('label', { key: option },
    h('input', { type, name, checked: picked(option), onChange: () => toggle(option) }), ' ', option)))
}

const empty = {
  policy: '', name: '', email: '', phone: '', kind: '', when: '', at: '', hurt: [], cost: '', story: '', photos: null,
  paid: '', account: '', hours: '3', agree: false,
}

function Claim() {
  const [step, setStep] = useState(0)
  const [data, setData] = useState(empty)
  const [sent, setSent] = useState(false)
  const set = key => value => setData(old => ({ ...old, [key]: value }))
  const text = (key, change = value => value) => ({ name: key, value: data[key], onChange: event => set(key)(change(event.target.value)) })
  const digits = value => value.replace(/\D/g, '').replace(/(\d{4})(?=\d)/g, '$1 ')
  const bad = data.policy && !/^[A-Z]{3}-\d{4}$/.test(data.policy)

  const steps = [
    [
      h(Field, { key: 1, label: 'Policy', error: bad && 'Three letters, a dash, four digits.' },
        h('input', text('policy', value => value.toUpperCase()))),
      h(Field, { key: 2, label: 'Full name' }, h('input', text('name'))),
      h(Field, { key: 3, label: 'Email' }, h('input', { type: 'email', ...text('email') })),
      h(Field, { key: 4, label: 'Phone' }, h('input', { type: 'tel', ...text('phone') })),
    ],
    [
      h(Field, { key: 1, label: 'What happened?' }, h('select', text('kind'),
        ['', 'Fire', 'Theft', 'Water'].map(kind => h('option', { key: kind, value: kind }, kind || 'Please select')))),
      h(Field, { key: 2, label: 'Day' }, h('input', { type: 'date', ...text('when') })),
      h(Field, { key: 3, label: 'Time' }, h('input', { type: 'time', ...text('at') })),
      h(Options, { key: 4, name: 'hurt', legend: 'Damaged', type: 'checkbox', options: ['Walls', 'Floor', 'Furniture'], value: data.hurt, onChange: set('hurt') }),
      data.hurt.length > 0 && h(Field, { key: 5, label: 'Estimated damage' }, h('input', { type: 'number', ...text('cost') })),
      h(Field, { key: 6, label: 'In your words' }, h('textarea', { rows: 3, ...text('story') })),
    ],
    [
      h(Field, { key: 1, label: 'Photos' }, h('input', { name: 'photos', type: 'file', multiple: true, onChange: event => set('photos')(event.target.files) })),
      h(Options, { key: 2, name: 'paid', legend: 'Pay by', type: 'radio', options: ['Transfer', 'Cheque'], value: data.paid, onChange: set('paid') }),
      h(Field, { key: 3, label: 'Account number' }, h('input', { inputMode: 'numeric', ...text('account', digits) })),
      h(Field, { key: 4, label: `Hours of cleaning: ${data.hours}` }, h('input', { type: 'range', min: 0, max: 20, ...text('hours') })),
      h('div', { key: 5, className: 'field' }, h('label', null, h('input', {
        name: 'agree', type: 'checkbox', checked: data.agree, onChange: event => set('agree')(event.target.checked),
      }), ' All of this is true')),
    ],
  ]
  if (sent) return h('div', { className: 'panel' }, h('h1', null, 'Thank you'), h('p', null, `Your claim on ${data.policy} is with us.`))
  return h('form', { className: 'panel', onSubmit: event => { event.preventDefault(); setSent(true) } },
    h('h1', null, 'Make a claim'), h('p', null, `Step ${step + 1} of 3`),
    steps.map((fields, index) => index === step && h(React.Fragment, { key: index }, fields)),
    h('div', { className: 'row' },
      h('button', { type: 'button', disabled: step === 0, onClick: () => setStep(step - 1) }, 'Previous'),
      step < 2 ? h('button', { key: 'next', type: 'button', disabled: bad || !data.policy, onClick: () => setStep(step + 1) }, 'Next')
        : h('button', { key: 'send', disabled: !data.agree }, 'Send')))
}

ReactDOM.createRoot(document.getElementById('root')).render(h(Claim))
