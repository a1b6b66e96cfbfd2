// An input to try the service with: it scripts the sandbox model to work, to ask for an approval and to finish.
export const exampleInput = `{
  "task": "Check invoice 4711 and prepare its payment",
  "sandbox": {
    "steps": [
      {
        "say": "The invoice names 12 hours at 95.50 each.",
        "tools": [{ "name": "calculator", "input": { "expression": "12 * 95.5" } }],
        "then": "await_input",
        "await": { "input_kind": "approval", "reason_code": "payment_over_limit", "prompt": "Pay 1,146.00?" }
      },
      { "say": "The payment is prepared.", "output": { "paid": true } }
    ]
  }
}`
