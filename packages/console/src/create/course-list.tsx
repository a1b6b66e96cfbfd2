// The courses to pick from: each one fills the form.
import { type Course, courses } from '@runwright/contract'

interface CourseListProps {
  readonly chosen: string | undefined
  readonly onChoose: (course: Course) => void
}

export function CourseList({ chosen, onChoose }: CourseListProps) {
  return (
    <fieldset>
      <legend className="mb-2 text-sm font-medium">Start from a sandbox course: no model and no key are needed</legend>
      <div className="grid gap-3 sm:grid-cols-3">
        {courses.map((course) => (
          <button
            key={course.name}
            type="button"
            aria-pressed={course.name === chosen}
            onClick={() => onChoose(course)}
            className="flex flex-col gap-1 rounded-lg border border-line bg-surface px-4 py-3 text-left hover:border-accent aria-pressed:border-accent aria-pressed:bg-accent/8"
          >
            <span className="font-medium">{course.title}</span>
            <span className="text-sm text-muted">{course.description}</span>
          </button>
        ))}
      </div>
    </fieldset>
  )
}
