const form = document.getElementById('card')
const steps = [...form.querySelectorAll('[data-step]')]
const marks = [...form.querySelectorAll('.steps li')]
let current = 0

function show(index) {
  current = index
  steps.forEach((step, i) => { step.hidden = i !== index })
  marks.forEach((mark, i) => mark.classList.toggle('now', i === index))
  document.getElementById('back').disabled = index === 0
  document.getElementById('next').hidden = index === steps.length - 1
  document.getElementById('send').hidden = index !== steps.length - 1
  document.getElementById('summary').textContent =
    `Card for ${form.first.value} ${form.last.value}, born ${form.born.value || '—'}.`
}

function complete() {
  const missing = [...steps[current].querySelectorAll('input, select, textarea')].find(field => !field.checkValidity())
  document.getElementById('error').textContent = missing
    ? `${missing.labels[0].firstChild.textContent.trim() || 'This field'}: ${missing.validationMessage}` : ''
  missing?.focus()
  return !missing
}

document.getElementById('next').addEventListener('click', () => { if (complete()) show(current + 1) })
document.getElementById('back').addEventListener('click', () => show(current - 1))
form.addEventListener('change', () => { document.getElementById('school').hidden = form.type.value !== 'student' })
form.addEventListener('submit', event => { if (!complete()) event.preventDefault() })
form.addEventListener('keydown', event => {
  if (event.key === 'Enter' && event.target.tagName === 'INPUT' && current < steps.length - 1) {
    event.preventDefault()
    document.getElementById('next').click()
  }
})
