// The list of a customer without runs: creates the first one in one click, from a course for the sandbox model.
import { type Course, courses } from '@runwright/contract'
import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Button } from '../parts/controls/button.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { randomKey } from '../parts/random-key.ts'
import { useSession } from '../session/session.ts'

const useStartCourse = () => {
  const { client } = useSession()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: ({ request }: Course) => client.runs.create(request, { idempotencyKey: randomKey() }),
    onSuccess: ({ id }) => navigate({ to: '/runs/$runId', params: { runId: id } }),
  })
}

export function FirstRun() {
  const { can } = useSession()
  const { mutate, isPending, variables, error } = useStartCourse()
  return (
    <section
      aria-labelledby="first-run"
      className="flex flex-col gap-4 rounded-lg border border-dashed border-edge/60 px-4 py-8 sm:px-8"
    >
      <div>
        <h2 id="first-run" className="text-lg font-semibold">
          No runs yet.
        </h2>
        <p className="text-muted">
          {can('runs:write')
            ? 'Start with an example. It runs on the sandbox model: no API key of a provider, no cost.'
            : 'Your key may read runs, but not create them: it does not have the scope runs:write.'}
        </p>
      </div>
      {error && <Problem error={error} />}
      {can('runs:write') && (
        <>
          <ul className="grid gap-3 lg:grid-cols-3">
            {courses.map((course) => (
              <li key={course.name} className="flex flex-col gap-2 rounded-lg border border-line bg-surface p-4">
                <h3 className="font-medium">{course.title}</h3>
                <p className="flex-1 text-sm text-muted">{course.description}</p>
                <Button
                  variant="primary"
                  className="self-start"
                  aria-label={`Run it: ${course.title}`}
                  disabled={isPending}
                  onClick={() => mutate(course)}
                >
                  {isPending && variables === course ? 'Creating…' : 'Run it'}
                </Button>
              </li>
            ))}
          </ul>
          <p className="text-sm">
            Or{' '}
            <Link to="/create" className="font-medium text-accent underline">
              create a run of your own
            </Link>
            .
          </p>
        </>
      )}
    </section>
  )
}
