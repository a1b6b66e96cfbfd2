// Starts the console.
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { findTheme, showTheme } from './shell/theme.ts'

const root = document.getElementById('root')
if (!root) throw new Error('the page has no #root')
showTheme(findTheme())
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
