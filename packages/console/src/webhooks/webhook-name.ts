// What a webhook is called: several may have one URL.
import { visibleText, type Webhook } from '@runwright/contract'

export const webhookName = ({ name, url }: Pick<Webhook, 'name' | 'url'>): string =>
  name === null ? url : visibleText(name)
