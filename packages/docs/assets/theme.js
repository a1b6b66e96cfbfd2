// Applies the chosen theme before the page is drawn, and starts the button that changes it. It runs before the body is
// parsed, so it must stay small. The console stores the same choice under the same name.
const key = 'runwright.theme'
const chosen = localStorage.getItem(key)
if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.theme = chosen

addEventListener('DOMContentLoaded', () => {
  const button = document.getElementById('theme')
  const isDark = () => {
    const theme = document.documentElement.dataset.theme
    return theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
  }
  const show = () => {
    button.textContent = isDark() ? 'Light mode' : 'Dark mode'
  }
  button.addEventListener('click', () => {
    const theme = isDark() ? 'light' : 'dark'
    document.documentElement.dataset.theme = theme
    localStorage.setItem(key, theme)
    show()
  })
  button.hidden = false
  show()
  // On a narrow screen the menu would push the content out of sight.
  if (matchMedia('(max-width: 52rem)').matches) document.querySelector('.menu').open = false
})
