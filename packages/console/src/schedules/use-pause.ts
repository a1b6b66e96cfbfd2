// Pauses a schedule, or resumes it.
import type { ListedSchedule } from '@runwright/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { announce } from '../parts/layout/status-line.tsx'
import { useSession } from '../session/session.ts'
import { scheduleName } from './schedule-words.tsx'

export const usePause = () => {
  const { client } = useSession()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ id, paused }: ListedSchedule) => client.schedules.update(id, { paused: !paused }),
    onSuccess: ({ schedule }) => {
      announce(`${schedule.paused ? 'Paused' : 'Resumed'} ${scheduleName(schedule)}.`)
      void queries.invalidateQueries({ queryKey: ['schedules'] })
    },
  })
}
