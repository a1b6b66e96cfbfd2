// The root of all routes: the shell, and the page for a URL without a page.
import { createRootRoute } from '@tanstack/react-router'
import { NotFound } from './not-found.tsx'
import { Shell } from './shell.tsx'

export const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFound })
