// The customers that are being moved to another cell, as parts of statements. There are hardly any: the index
// `customers_moving` has only these.

/** Their runs are not claimed. */
export const leavingCustomers = "select id from customers where move in ('leaving', 'held', 'moved', 'arriving')"

/** Their writes are refused. */
export const heldCustomers = "select id from customers where move in ('held', 'moved', 'arriving')"
