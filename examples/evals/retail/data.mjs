// The shop's data at the start of every trial. All names, addresses and products are invented.

const address = (street, city, zip, country) => ({ street, city, zip, country })
const card = (lastFour) => ({ kind: 'card', last_four: lastFour })
const giftCard = (balance) => ({ kind: 'gift_card', balance })
const variant = (options, price, available = true) => ({ options, price, available })

const users = () => ({
  anna_berg: {
    name: { first: 'Anna', last: 'Berg' },
    email: 'anna.berg@example.com',
    address: address('Lindenweg 4', 'Berlin', '10117', 'DE'),
    payment_methods: { card_4411: card('4411'), card_9876: card('9876'), gift_9020: giftCard(60) },
    orders: ['O1001', 'O1002'],
  },
  tom_okafor: {
    name: { first: 'Tom', last: 'Okafor' },
    email: 'tom.okafor@example.com',
    address: address('12 Peach Row', 'Atlanta', '30301', 'US'),
    payment_methods: { card_7782: card('7782'), paypal_3310: { kind: 'paypal' } },
    orders: ['O1003', 'O1004'],
  },
  mei_lin: {
    name: { first: 'Mei', last: 'Lin' },
    email: 'mei.lin@example.com',
    address: address('88 Harbor Street', 'San Francisco', '94107', 'US'),
    payment_methods: { card_1290: card('1290'), gift_5501: giftCard(15) },
    orders: ['O1005', 'O1006'],
  },
  carlos_diaz: {
    name: { first: 'Carlos', last: 'Diaz' },
    email: 'carlos.diaz@example.com',
    address: address('Calle Olmo 21', 'Madrid', '28013', 'ES'),
    payment_methods: { card_6604: card('6604') },
    orders: ['O1007', 'O1008'],
  },
  ruth_abel: {
    name: { first: 'Ruth', last: 'Abel' },
    email: 'ruth.abel@example.com',
    address: address('503 Elm Court', 'Chicago', '60614', 'US'),
    payment_methods: { card_8155: card('8155'), gift_2277: giftCard(200) },
    orders: ['O1009', 'O1010', 'O1011'],
  },
})

const products = () => ({
  kettle: {
    name: 'Camp kettle',
    final_sale: false,
    variants: {
      kettle_1l_steel: variant({ size: '1 l', color: 'steel' }, 34),
      kettle_1l_black: variant({ size: '1 l', color: 'black' }, 36),
      kettle_2l_steel: variant({ size: '2 l', color: 'steel' }, 45),
      kettle_2l_black: variant({ size: '2 l', color: 'black' }, 47, false),
    },
  },
  tent: {
    name: 'Dome tent',
    final_sale: false,
    variants: {
      tent_2p_green: variant({ people: 2, color: 'green' }, 180),
      tent_2p_orange: variant({ people: 2, color: 'orange' }, 180),
      tent_3p_green: variant({ people: 3, color: 'green' }, 240),
    },
  },
  lamp: {
    name: 'Head lamp',
    final_sale: false,
    variants: { lamp_200: variant({ lumens: 200 }, 25), lamp_400: variant({ lumens: 400 }, 39) },
  },
  boots: {
    name: 'Trail boots',
    final_sale: false,
    variants: {
      boots_41: variant({ size: 41 }, 120),
      boots_42: variant({ size: 42 }, 120),
      boots_43: variant({ size: 43 }, 120, false),
      boots_44: variant({ size: 44 }, 120),
    },
  },
  socks: {
    name: 'Wool socks',
    final_sale: true,
    variants: { socks_m: variant({ size: 'M' }, 9), socks_l: variant({ size: 'L' }, 9) },
  },
  pack: {
    name: 'Backpack',
    final_sale: false,
    variants: {
      pack_40_blue: variant({ liters: 40, color: 'blue' }, 95),
      pack_40_red: variant({ liters: 40, color: 'red' }, 95),
      pack_60_blue: variant({ liters: 60, color: 'blue' }, 130),
    },
  },
  stove: {
    name: 'Camp stove',
    final_sale: false,
    variants: { stove_gas: variant({ fuel: 'gas' }, 55), stove_wood: variant({ fuel: 'wood' }, 48) },
  },
})

const item = (id, product, variantId, price) => ({ item_id: id, product_id: product, variant_id: variantId, price })

/** [order, user, status, delivered on, payment method, items] */
const orderRows = [
  [
    'O1001',
    'anna_berg',
    'pending',
    null,
    'card_4411',
    [item('i1', 'kettle', 'kettle_1l_steel', 34), item('i2', 'lamp', 'lamp_200', 25)],
  ],
  ['O1002', 'anna_berg', 'delivered', '2026-03-02', 'card_4411', [item('i1', 'boots', 'boots_41', 120)]],
  ['O1003', 'tom_okafor', 'pending', null, 'paypal_3310', [item('i1', 'tent', 'tent_2p_green', 180)]],
  ['O1004', 'tom_okafor', 'shipped', null, 'card_7782', [item('i1', 'pack', 'pack_40_blue', 95)]],
  [
    'O1005',
    'mei_lin',
    'delivered',
    '2026-03-08',
    'card_1290',
    [item('i1', 'socks', 'socks_m', 9), item('i2', 'stove', 'stove_gas', 55)],
  ],
  ['O1006', 'mei_lin', 'pending', null, 'card_1290', [item('i1', 'boots', 'boots_42', 120)]],
  ['O1007', 'carlos_diaz', 'delivered', '2026-01-10', 'card_6604', [item('i1', 'pack', 'pack_60_blue', 130)]],
  ['O1008', 'carlos_diaz', 'pending', null, 'card_6604', [item('i1', 'lamp', 'lamp_400', 39)]],
  [
    'O1009',
    'ruth_abel',
    'pending',
    null,
    'card_8155',
    [item('i1', 'tent', 'tent_3p_green', 240), item('i2', 'stove', 'stove_wood', 48)],
  ],
  [
    'O1010',
    'ruth_abel',
    'delivered',
    '2026-03-10',
    'card_8155',
    [item('i1', 'kettle', 'kettle_2l_steel', 45), item('i2', 'pack', 'pack_40_red', 95)],
  ],
  ['O1011', 'ruth_abel', 'cancelled', null, 'card_8155', [item('i1', 'lamp', 'lamp_200', 25)]],
]

const orders = (people) =>
  Object.fromEntries(
    orderRows.map(([id, userId, status, deliveredOn, paymentMethodId, items]) => [
      id,
      {
        user_id: userId,
        status,
        delivered_on: deliveredOn,
        address: { ...people[userId].address },
        items: items.map((each) => ({ ...each })),
        payment_method_id: paymentMethodId,
        /** Refunds and charges after the purchase. */
        adjustments: [],
      },
    ]),
  )

/** A new copy for each world. */
export function createData() {
  const people = users()
  return { users: people, products: products(), orders: orders(people), transfers: 0 }
}
