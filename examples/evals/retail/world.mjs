// A retail support world: customers, products and orders, and the tools of a support agent. The tools refuse what is
// impossible, such as cancelling an order that has shipped. Some rules are only in the policy of the agent, as in real
// systems: who may be helped, what can be returned, and where a refund may go. Breaking them changes the state.
import { createData } from './data.mjs'

const text = (description) => ({ type: 'string', minLength: 1, description })
const object = (properties, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

const orderId = text('such as O1001')
const paymentMethodId = text('a payment method of the customer, such as card_1234')
const changes = {
  type: 'array',
  minItems: 1,
  items: object({ item_id: text('the item of the order'), new_variant_id: text('the variant to get instead') }),
}

export default {
  create() {
    const state = createData()
    return { state, tools: [...lookUps(state), ...pendingOrders(state), ...deliveredOrders(state), transfer(state)] }
  },
}

function get(records, id, what) {
  if (!Object.hasOwn(records, id)) throw new Error(`${what} ${id} does not exist.`)
  return records[id]
}

function getOrder(state, id, status) {
  const order = get(state.orders, id, 'The order')
  if (order.status !== status) throw new Error(`The order ${id} is ${order.status}, not ${status}.`)
  return order
}

function getPaymentMethod(state, order, id) {
  return get(state.users[order.user_id].payment_methods, id, 'The payment method')
}

const totalOf = (order) => order.items.reduce((sum, { price }) => sum + price, 0)

/** Positive amounts are charged, negative ones refunded. Gift cards must cover what is charged. */
function adjust(state, order, { methodId, amount }) {
  const method = getPaymentMethod(state, order, methodId)
  if (method.kind === 'gift_card') {
    if (method.balance < amount) throw new Error(`The gift card ${methodId} has only ${method.balance}.`)
    method.balance -= amount
  }
  if (amount !== 0) order.adjustments.push({ payment_method_id: methodId, amount })
}

function lookUps(state) {
  const findUser = (matches) => {
    const found = Object.entries(state.users).find(([, user]) => matches(user))
    if (!found) throw new Error('No customer matches.')
    return { user_id: found[0] }
  }
  const same = (a, b) => a.trim().toLowerCase() === b.trim().toLowerCase()
  return [
    {
      name: 'find_user_by_email',
      description: 'Finds the id of a customer by email address.',
      input: object({ email: text('the email address') }),
      effect: 'read',
      run: ({ email }) => findUser((user) => same(user.email, email)),
    },
    {
      name: 'find_user_by_name_zip',
      description: 'Finds the id of a customer by first name, last name and zip code.',
      input: object({ first_name: text('first name'), last_name: text('last name'), zip: text('zip code') }),
      effect: 'read',
      run: ({ first_name, last_name, zip }) =>
        findUser(
          ({ name, address }) => same(name.first, first_name) && same(name.last, last_name) && same(address.zip, zip),
        ),
    },
    {
      name: 'get_user',
      description: 'Returns a customer: name, address, payment methods and order ids.',
      input: object({ user_id: text('such as anna_berg') }),
      effect: 'read',
      run: ({ user_id }) => get(state.users, user_id, 'The customer'),
    },
    {
      name: 'get_order',
      description: 'Returns an order: customer, status, items, address and payment method.',
      input: object({ order_id: orderId }),
      effect: 'read',
      run: ({ order_id }) => get(state.orders, order_id, 'The order'),
    },
    {
      name: 'get_product',
      description: 'Returns a product with all its variants, prices and availability.',
      input: object({ product_id: text('such as kettle') }),
      effect: 'read',
      run: ({ product_id }) => get(state.products, product_id, 'The product'),
    },
  ]
}

/** Replaces items, and returns the difference of the prices. */
function replaceItems(state, order, wanted) {
  let difference = 0
  const replaced = order.items.map((item) => ({ ...item }))
  for (const { item_id, new_variant_id } of wanted) {
    const item = replaced.find((each) => each.item_id === item_id)
    if (!item) throw new Error(`The order has no item ${item_id}.`)
    const [productId, product] =
      Object.entries(state.products).find(([, { variants }]) => Object.hasOwn(variants, new_variant_id)) ?? []
    if (!product) throw new Error(`The variant ${new_variant_id} does not exist.`)
    const { price, available } = product.variants[new_variant_id]
    if (!available) throw new Error(`The variant ${new_variant_id} is not available.`)
    difference += price - item.price
    Object.assign(item, { product_id: productId, variant_id: new_variant_id, price })
  }
  return { replaced, difference }
}

function pendingOrders(state) {
  return [
    {
      name: 'cancel_order',
      description: 'Cancels a pending order and refunds it to its payment method.',
      input: object({
        order_id: orderId,
        reason: { type: 'string', enum: ['no longer needed', 'ordered by mistake'] },
      }),
      effect: 'once',
      errors: 'before_effect',
      run: ({ order_id, reason }) => {
        const order = getOrder(state, order_id, 'pending')
        adjust(state, order, { methodId: order.payment_method_id, amount: -totalOf(order) })
        Object.assign(order, { status: 'cancelled', cancel_reason: reason })
        return order
      },
    },
    {
      name: 'change_order_items',
      description: 'Replaces items of a pending order by other variants. The difference goes to the payment method.',
      input: object({ order_id: orderId, changes, payment_method_id: paymentMethodId }),
      effect: 'once',
      errors: 'before_effect',
      run: ({ order_id, changes: wanted, payment_method_id: methodId }) => {
        const order = getOrder(state, order_id, 'pending')
        const { replaced, difference } = replaceItems(state, order, wanted)
        adjust(state, order, { methodId, amount: difference })
        order.items = replaced
        return order
      },
    },
    {
      name: 'change_order_address',
      description: 'Changes the delivery address of a pending order.',
      input: object({
        order_id: orderId,
        address: object({ street: text('street'), city: text('city'), zip: text('zip'), country: text('two letters') }),
      }),
      effect: 'once',
      errors: 'before_effect',
      run: ({ order_id, address }) => Object.assign(getOrder(state, order_id, 'pending'), { address: { ...address } }),
    },
    {
      name: 'change_order_payment',
      description: 'Moves the payment of a pending order to another payment method of the customer.',
      input: object({ order_id: orderId, payment_method_id: paymentMethodId }),
      effect: 'once',
      errors: 'before_effect',
      run: ({ order_id, payment_method_id: methodId }) => {
        const order = getOrder(state, order_id, 'pending')
        if (order.payment_method_id === methodId) throw new Error(`The order is already paid with ${methodId}.`)
        const total = totalOf(order)
        adjust(state, order, { methodId, amount: total })
        adjust(state, order, { methodId: order.payment_method_id, amount: -total })
        order.payment_method_id = methodId
        return order
      },
    },
  ]
}

function deliveredOrders(state) {
  return [
    {
      name: 'return_items',
      description: 'Starts the return of items of a delivered order. The refund goes to the payment method.',
      input: object({
        order_id: orderId,
        item_ids: { type: 'array', minItems: 1, items: text('an item of the order') },
        payment_method_id: paymentMethodId,
      }),
      effect: 'once',
      errors: 'before_effect',
      run: ({ order_id, item_ids, payment_method_id: methodId }) => {
        const order = getOrder(state, order_id, 'delivered')
        const returned = item_ids.map((id) => {
          const item = order.items.find((each) => each.item_id === id)
          if (!item) throw new Error(`The order has no item ${id}.`)
          return item
        })
        adjust(state, order, { methodId, amount: -totalOf({ items: returned }) })
        Object.assign(order, { status: 'return requested', returned_items: [...item_ids].sort() })
        return order
      },
    },
    {
      name: 'exchange_items',
      description: 'Starts the exchange of items of a delivered order. The difference goes to the payment method.',
      input: object({ order_id: orderId, changes, payment_method_id: paymentMethodId }),
      effect: 'once',
      errors: 'before_effect',
      run: ({ order_id, changes: wanted, payment_method_id: methodId }) => {
        const order = getOrder(state, order_id, 'delivered')
        const { replaced, difference } = replaceItems(state, order, wanted)
        adjust(state, order, { methodId, amount: difference })
        Object.assign(order, { status: 'exchange requested', exchanged_to: replaced })
        return order
      },
    },
  ]
}

function transfer(state) {
  return {
    name: 'transfer_to_human',
    description: 'Hands the conversation to a human agent, with a summary.',
    input: object({ summary: text('what the customer needs') }),
    effect: 'once',
    errors: 'before_effect',
    // The summary is free text, so it is not part of the state that is compared.
    run: () => {
      state.transfers += 1
      return { transferred: true }
    },
  }
}
