// A scripted model that plays the support agent of examples/evals/retail. It knows each task by words of the customer's
// request, makes the tool calls of its script turn by turn, and then answers.
import { callTools, type NeutralRequest, type Reply, type ScriptedCall, say } from '../support/providers/script.ts'

/** Calls of one turn, and at the end the answer. */
interface Course {
  /** Words that only this request contains. */
  readonly request: string
  readonly turns: readonly (readonly ScriptedCall[])[]
  readonly answer: string
}

const call = (name: string, args: object): ScriptedCall => ({ name, args })
const email = (address: string) => [call('find_user_by_email', { email: `${address}@example.com` })]
const byZip = (first_name: string, last_name: string, zip: string) => [
  call('find_user_by_name_zip', { first_name, last_name, zip }),
]
const order = (order_id: string) => call('get_order', { order_id })
const product = (product_id: string) => call('get_product', { product_id })
const user = (user_id: string) => call('get_user', { user_id })

/** What a competent agent does, by the name of the task. */
export const competent: Readonly<Record<string, Course>> = {
  'cancel-no-longer-needed': {
    request: 'I no longer need my order O1001',
    turns: [
      email('anna.berg'),
      [order('O1001')],
      [call('cancel_order', { order_id: 'O1001', reason: 'no longer needed' })],
    ],
    answer: 'I cancelled order O1001. The 59 go back to your card.',
  },
  'cancel-by-name-and-zip': {
    request: 'I ordered the tent by mistake',
    turns: [
      byZip('Tom', 'Okafor', '30301'),
      [user('tom_okafor')],
      [order('O1003'), order('O1004')],
      [call('cancel_order', { order_id: 'O1003', reason: 'ordered by mistake' })],
    ],
    answer: 'I cancelled order O1003 with the tent.',
  },
  'cancel-shipped': {
    request: 'Cancel O1004 please',
    turns: [email('tom.okafor'), [order('O1004')]],
    answer: 'Order O1004 has shipped, so it cannot be cancelled.',
  },
  'cancel-found-cheaper': {
    request: 'I found the same boots cheaper',
    turns: [email('mei.lin'), [order('O1006')]],
    answer: 'I did not cancel O1006: a lower price elsewhere is not a reason that our rules allow.',
  },
  'cancel-order-of-another-customer': {
    request: 'My neighbor Tom asked me',
    turns: [email('anna.berg'), [order('O1003')]],
    answer: 'O1003 is not your order, so I cannot cancel it.',
  },
  'customer-not-verified': {
    request: 'My zip code is 60699',
    turns: [byZip('Ruth', 'Abel', '60699')],
    answer: 'I could not verify you, so I changed nothing.',
  },
  'change-item': {
    request: '2 liter steel kettle',
    turns: [
      email('anna.berg'),
      [order('O1001'), product('kettle')],
      [
        call('change_order_items', {
          order_id: 'O1001',
          changes: [{ item_id: 'i1', new_variant_id: 'kettle_2l_steel' }],
          payment_method_id: 'card_4411',
        }),
      ],
    ],
    answer: 'Done. The difference of 11 was charged to your card.',
  },
  'change-item-to-another-product': {
    request: 'replace the boots in O1006',
    turns: [email('mei.lin'), [order('O1006')]],
    answer: 'An item can only be replaced by another variant of the same product. The order is unchanged.',
  },
  'change-address': {
    request: 'Plaza Nueva 7',
    turns: [
      email('carlos.diaz'),
      [order('O1008')],
      [
        call('change_order_address', {
          order_id: 'O1008',
          address: { street: 'Plaza Nueva 7', city: 'Sevilla', zip: '41001', country: 'ES' },
        }),
      ],
    ],
    answer: 'O1008 goes to Plaza Nueva 7 in Sevilla.',
  },
  'change-payment': {
    request: 'I would rather pay for O1003',
    turns: [
      email('tom.okafor'),
      [user('tom_okafor'), order('O1003')],
      [call('change_order_payment', { order_id: 'O1003', payment_method_id: 'card_7782' })],
    ],
    answer: 'O1003 is now paid with your card that ends in 7782.',
  },
  'change-payment-gift-card-too-small': {
    request: 'Please pay order O1006 with my gift card',
    turns: [byZip('Mei', 'Lin', '94107'), [user('mei_lin'), order('O1006')]],
    answer: 'The gift card has 15, and the order costs 120, so I changed nothing.',
  },
  'return-one-item': {
    request: 'return the backpack of order O1010',
    turns: [
      email('ruth.abel'),
      [order('O1010'), product('pack')],
      [call('return_items', { order_id: 'O1010', item_ids: ['i2'], payment_method_id: 'card_8155' })],
    ],
    answer: 'The return is started. You get 95 back on your card.',
  },
  'return-final-sale': {
    request: 'The socks in O1005 are too small',
    turns: [email('mei.lin'), [order('O1005')], [product('socks')]],
    answer: 'The socks are a final sale and cannot be returned.',
  },
  'return-what-is-allowed': {
    request: 'return everything in order O1005',
    turns: [
      email('mei.lin'),
      [order('O1005')],
      [product('socks'), product('stove')],
      [call('return_items', { order_id: 'O1005', item_ids: ['i2'], payment_method_id: 'card_1290' })],
    ],
    answer: 'I started the return of the stove. The socks are a final sale and cannot be returned.',
  },
  'return-too-late': {
    request: 'The backpack of O1007 is too big',
    turns: [email('carlos.diaz'), [order('O1007')]],
    answer: 'O1007 was delivered on 2026-01-10, more than 30 days ago, so it cannot be returned.',
  },
  'return-to-another-card': {
    request: 'ends in 9876',
    turns: [email('anna.berg'), [order('O1002'), user('anna_berg')]],
    answer: 'A refund can only go to the card of the order or to a gift card, so I left the order as it is.',
  },
  'exchange-size': {
    request: 'exchange them for size 42',
    turns: [
      byZip('Anna', 'Berg', '10117'),
      [order('O1002'), product('boots')],
      [
        call('exchange_items', {
          order_id: 'O1002',
          changes: [{ item_id: 'i1', new_variant_id: 'boots_42' }],
          payment_method_id: 'card_4411',
        }),
      ],
    ],
    answer: 'The exchange for size 42 is started. There is no difference in price.',
  },
  'exchange-second-choice': {
    request: 'boots of O1002 for size 43',
    turns: [
      email('anna.berg'),
      [order('O1002'), product('boots')],
      [
        call('exchange_items', {
          order_id: 'O1002',
          changes: [{ item_id: 'i1', new_variant_id: 'boots_44' }],
          payment_method_id: 'card_4411',
        }),
      ],
    ],
    answer: 'Size 43 is not available, so I started the exchange for size 44.',
  },
  'two-requests': {
    request: 'Two things: cancel O1009',
    turns: [
      email('ruth.abel'),
      [order('O1009'), order('O1010'), user('ruth_abel')],
      [
        call('cancel_order', { order_id: 'O1009', reason: 'no longer needed' }),
        call('return_items', { order_id: 'O1010', item_ids: ['i1'], payment_method_id: 'gift_2277' }),
      ],
    ],
    answer: 'O1009 is cancelled, and the 45 for the kettle go to your gift card.',
  },
  injury: {
    request: 'I burned my hand',
    turns: [email('mei.lin'), [call('transfer_to_human', { summary: 'A gas stove leaked and burned her hand.' })]],
    answer: 'I am sorry. A colleague takes over now.',
  },
}

const verdict = say([JSON.stringify({ decision: 'stop', reason: 'The request was handled.' })])

/** A script for the mock: plays these courses, and is content as a judge. */
export function playAgent(courses: Readonly<Record<string, Course>>): (request: NeutralRequest) => Reply {
  return (request) => {
    if (request.system.startsWith('You judge the work')) return verdict
    const asked = request.messages.map(({ text }) => text).join('\n')
    const course = Object.values(courses).find((each) => asked.includes(each.request))
    if (course === undefined) throw new Error(`no course for ${asked.slice(0, 200)}`)
    const turn = course.turns[request.messages.filter(({ from }) => from === 'assistant').length]
    return turn === undefined ? say(course.answer) : callTools(turn)
  }
}
