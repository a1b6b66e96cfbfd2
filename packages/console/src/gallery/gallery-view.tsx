// Every shared component in every state, for those who work on the console.
import { Page } from '../parts/layout/page.tsx'
import { Controls } from './controls.tsx'
import { Dialogs } from './dialogs.tsx'
import { Errors } from './errors.tsx'
import { Layout } from './layout.tsx'
import { States } from './states.tsx'
import { Tokens } from './tokens.tsx'
import { Values } from './values.tsx'

export function GalleryView() {
  return (
    <Page title="Component gallery">
      <Tokens />
      <Controls />
      <Dialogs />
      <States />
      <Values />
      <Layout />
      <Errors />
    </Page>
  )
}
