// What the customer has set up, by name, for the palette: schedules, webhooks, keys and budgets. It is read when the
// palette opens, one page of each list. What the key may not read is left out.
import { visibleText } from '@runwright/contract'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { keyLabel, keyStateOf } from '../../keys/key-state.ts'
import { scheduleName } from '../../schedules/schedule-words.tsx'
import { useSession } from '../../session/session.ts'
import { ownerOf } from '../../usage/budgets.tsx'
import { webhookName } from '../../webhooks/webhook-name.ts'
import type { PaletteEntry } from './entries.ts'

/** The longest page of the lists. */
const page = { limit: 200 }

export const useSetUp = (): readonly PaletteEntry[] => {
  const { client, can } = useSession()
  const navigate = useNavigate()
  const schedules = useQuery({
    queryKey: ['palette', 'schedules'],
    queryFn: ({ signal }) => client.schedules.list(page, { signal }),
    enabled: can('runs:read'),
  })
  const webhooks = useQuery({
    queryKey: ['palette', 'webhooks'],
    queryFn: ({ signal }) => client.webhooks.list(page, { signal }),
    enabled: can('webhooks:admin'),
  })
  const keys = useQuery({
    queryKey: ['palette', 'keys'],
    queryFn: ({ signal }) => client.keys.list(page, { signal }),
    enabled: can('keys:admin'),
  })
  const budgets = useQuery({
    queryKey: ['palette', 'budgets'],
    queryFn: ({ signal }) => client.budgets.list(page, { signal }),
    enabled: can('usage:read'),
  })
  const activeKeys = (keys.data?.keys ?? []).filter((key) => keyStateOf(key, Date.now()) === 'active')
  return [
    ...(schedules.data?.schedules ?? []).map((schedule) => ({
      id: schedule.id,
      group: 'Schedules',
      name: scheduleName(schedule),
      note: schedule.id,
      open: () => void navigate({ to: '/schedules/$scheduleId', params: { scheduleId: schedule.id } }),
    })),
    ...(webhooks.data?.webhooks ?? []).map((webhook) => ({
      id: webhook.id,
      group: 'Webhooks',
      name: webhookName(webhook),
      note: webhook.name === null ? webhook.id : visibleText(webhook.url),
      open: () => void navigate({ to: '/webhooks' }),
    })),
    ...activeKeys.map((key) => ({
      id: key.id,
      group: 'Keys',
      name: visibleText(keyLabel(key)),
      note: key.id,
      open: () => void navigate({ to: '/keys' }),
    })),
    ...(budgets.data?.budgets ?? []).map((budget) => ({
      id: budget.id,
      group: 'Budgets',
      name: ownerOf(budget),
      note: `a budget per ${budget.period}`,
      open: () => void navigate({ to: '/budgets' }),
    })),
  ]
}
