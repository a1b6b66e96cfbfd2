// A budget of steps for evaluating a JSONPath: paths come from clients, and a short one can cause unbounded work.

export interface WorkBudget {
  /** Steps left. */
  left: number
}

export class WorkBudgetExceeded extends Error {}

/** Throws `WorkBudgetExceeded` when the budget is used up. */
export function spend(work: WorkBudget, steps: number): void {
  work.left -= steps
  if (work.left < 0) throw new WorkBudgetExceeded()
}
