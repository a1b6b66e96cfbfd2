// The route of the gallery, in development only: a build has neither the page nor its code.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { NotFound } from '../shell/not-found.tsx'
import { rootRoute } from '../shell/root-route.ts'

export const galleryRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/gallery',
  component: import.meta.env.DEV ? lazyRouteComponent(() => import('./gallery-view.tsx'), 'GalleryView') : NotFound,
})
