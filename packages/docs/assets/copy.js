// A button on every block of code that a reader types or saves. What a program prints has none.
const wait = 2_000

for (const figure of document.querySelectorAll('figure.code:not(.output)')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(figure.querySelector('code').textContent)
      button.textContent = 'Copied'
    } catch {
      button.textContent = 'Select the text and copy it'
    }
    setTimeout(() => {
      button.textContent = 'Copy'
    }, wait)
  })
  figure.append(button)
}
