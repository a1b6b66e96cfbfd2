// The example input of the form: a script for the sandbox model that works, asks for approval and finishes.
export const exampleInput = `{
  "task": "Check invoice 4711 and prepare its payment",
  "sandbox": {
    "steps": [
      {
        "say": "The invoice lists 12 hours at 95.50 each.",
        "tools": [{ "name": "calculator", "input": { "expression": "12 * 95.5" } }],
        "then": "await_input",
        "await": { "input_kind": "approval", "reason_code": "payment_over_limit", "prompt": "Pay 1,146.00?" }
      },
      { "say": "The payment is prepared.", "output": { "paid": true } }
    ]
  }
}`
