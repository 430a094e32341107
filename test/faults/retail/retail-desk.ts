import { calculate } from './calculate.ts';
import { type Address, type BookCopy, type Order, RetailError, type User } from './retail-book.ts';

/** Arguments of the desk's tools, as the tasks have them. */
export interface RetailArguments {
  readonly order_id: string;
  readonly user_id: string;
  readonly product_id: string;
  readonly item_id: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly zip: string;
  readonly expression: string;
  readonly reason: string;
  readonly payment_method_id: string;
  readonly item_ids: readonly string[];
  readonly new_item_ids: readonly string[];
}

type DeskTool = (book: BookCopy, given: RetailArguments) => unknown;

const demand = (holds: unknown, words: string): void => {
  if (!holds) throw new RetailError(words);
};
const cents = (amount: number): number => Math.round(amount * 100) / 100;
const sameText = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

function findUser(book: BookCopy, fits: (user: User) => boolean): string {
  const id = book.userIds.find((one) => fits(book.user(one)));
  if (id === undefined) throw new RetailError('User not found');
  return id;
}

function method(user: User, id: string) {
  const found = user.payment_methods[id];
  if (found === undefined) throw new RetailError('Payment method not found');
  return found;
}

/** Pays from a gift card, or to it when negative; other methods have no balance. */
function charge(user: User, id: string, amount: number): void {
  const { source, balance = 0 } = method(user, id);
  if (source === 'gift_card') method(user, id).balance = cents(balance - amount);
}

function demandCover(user: User, id: string, amount: number, words: string): void {
  const { source, balance = 0 } = method(user, id);
  demand(source !== 'gift_card' || balance >= amount, words);
}

function demandItems(order: Order, ids: readonly string[]): void {
  const there = order.items.map(({ item_id: id }) => id);
  const times = (list: readonly string[], id: string) => list.filter((one) => one === id).length;
  demand(
    ids.every((id) => times(ids, id) <= times(there, id)),
    'Number of items is larger than in the order, or an item is not in it',
  );
}

/** The variants in place of the items, and what they cost more, as a sum of plain doubles. */
function exchangeOf(book: BookCopy, order: Order, given: RetailArguments) {
  demand(given.item_ids.length === given.new_item_ids.length, 'The number of items must match');
  const pairs = given.item_ids.map((id, n) => {
    const item = order.items.find((one) => one.item_id === id);
    const variant = book.products[item?.product_id ?? '']?.variants[given.new_item_ids[n] ?? ''];
    if (item === undefined || variant?.available !== true) {
      throw new RetailError(`New item ${given.new_item_ids[n]} not found or available`);
    }
    return { item, variant };
  });
  const difference = pairs.reduce(
    (sum, { item, variant }) => sum + (variant.price - item.price),
    0,
  );
  return { pairs, difference };
}

const noCover = 'Insufficient gift card balance to pay for the price difference';

function addressOf(given: RetailArguments): Address {
  const words = given as unknown as Address;
  const names = ['address1', 'address2', 'city', 'state', 'country', 'zip'];
  return Object.fromEntries(names.map((name) => [name, words[name] ?? '']));
}

export const READS: Readonly<Record<string, DeskTool>> = {
  find_user_id_by_email: (book, { email }) => findUser(book, (user) => sameText(user.email, email)),
  find_user_id_by_name_zip: (book, { first_name: first, last_name: last, zip }) =>
    findUser(
      book,
      ({ name, address }) =>
        sameText(name.first_name, first) &&
        sameText(name.last_name, last) &&
        address['zip'] === zip,
    ),
  get_order_details: (book, { order_id: id }) => book.order(id),
  get_user_details: (book, { user_id: id }) => book.user(id),
  get_product_details(book, { product_id: id }) {
    demand(book.products[id], 'Product not found');
    return book.products[id];
  },
  get_item_details(book, { item_id: id }) {
    const product = Object.values(book.products).find(({ variants }) => variants[id]);
    demand(product, 'Item not found');
    return product?.variants[id];
  },
  calculate(_, { expression }) {
    demand(/^[0-9+\-*/(). ]+$/.test(expression), 'Invalid characters in expression');
    return String(cents(calculate(expression)));
  },
};

export const WRITES: Readonly<Record<string, DeskTool>> = {
  cancel_pending_order(book, { order_id: id, reason }) {
    const order = book.order(id);
    demand(order.status === 'pending', 'Non-pending order cannot be cancelled');
    demand(['no longer needed', 'ordered by mistake'].includes(reason), 'Invalid reason');
    const refunds = order.payment_history.map((paid) => ({
      ...paid,
      transaction_type: 'refund' as const,
    }));
    order.payment_history.push(...refunds);
    for (const { amount, payment_method_id: by } of refunds) {
      charge(book.user(order.user_id), by, -amount);
    }
    order.status = 'cancelled';
    order.cancel_reason = reason;
    return order;
  },
  modify_pending_order_address(book, given) {
    const order = book.order(given.order_id);
    demand(order.status.includes('pending'), 'Non-pending order cannot be modified');
    order.address = addressOf(given);
    return order;
  },
  modify_pending_order_items(book, given) {
    const order = book.order(given.order_id);
    const user = book.user(order.user_id);
    const by = given.payment_method_id;
    demand(order.status === 'pending', 'Non-pending order cannot be modified');
    demandItems(order, given.item_ids);
    demand(
      given.item_ids.every((id, n) => id !== given.new_item_ids[n]),
      'The new item id should be different from the old item id',
    );
    const { pairs, difference } = exchangeOf(book, order, given);
    demandCover(user, by, difference, 'Insufficient gift card balance to pay for the new item');
    order.payment_history.push({
      transaction_type: difference > 0 ? 'payment' : 'refund',
      amount: Math.abs(difference),
      payment_method_id: by,
    });
    charge(user, by, difference);
    // As the benchmark does it: every changed item gets what the last new one costs and is.
    const last = pairs.at(-1)?.variant;
    for (const [n, { item }] of pairs.entries()) {
      item.item_id = given.new_item_ids[n] ?? '';
      item.price = last?.price ?? 0;
      item.options = last?.options ?? {};
    }
    order.status = 'pending (item modified)';
    return order;
  },
  modify_pending_order_payment(book, { order_id: id, payment_method_id: by }) {
    const order = book.order(id);
    const user = book.user(order.user_id);
    demand(order.status.includes('pending'), 'Non-pending order cannot be modified');
    const [paid] = order.payment_history;
    if (paid?.transaction_type !== 'payment' || order.payment_history.length !== 1) {
      throw new RetailError('There should be exactly one payment for a pending order');
    }
    const { amount, payment_method_id: before } = paid;
    demand(before !== by, 'The new payment method should be different from the current one');
    demandCover(user, by, amount, 'Insufficient gift card balance to pay for the order');
    order.payment_history.push(
      { transaction_type: 'payment', amount, payment_method_id: by },
      { transaction_type: 'refund', amount, payment_method_id: before },
    );
    charge(user, by, amount);
    charge(user, before, -amount);
    return order;
  },
  modify_user_address(book, given) {
    const user = book.user(given.user_id);
    user.address = addressOf(given);
    return user;
  },
  return_delivered_order_items(book, { order_id: id, item_ids: ids, payment_method_id: by }) {
    const order = book.order(id);
    demand(order.status === 'delivered', 'Non-delivered order cannot be returned');
    const { source } = method(book.user(order.user_id), by);
    const original = order.payment_history[0]?.payment_method_id;
    demand(
      source === 'gift_card' || by === original,
      'Payment method should be the original payment method or a gift card',
    );
    demandItems(order, ids);
    order.status = 'return requested';
    order.return_items = ids.toSorted();
    order.return_payment_method_id = by;
    return order;
  },
  exchange_delivered_order_items(book, given) {
    const order = book.order(given.order_id);
    const by = given.payment_method_id;
    demand(order.status === 'delivered', 'Non-delivered order cannot be exchanged');
    demandItems(order, given.item_ids);
    const difference = cents(exchangeOf(book, order, given).difference);
    demandCover(book.user(order.user_id), by, difference, noCover);
    order.status = 'exchange requested';
    order.exchange_items = given.item_ids.toSorted();
    order.exchange_new_items = given.new_item_ids.toSorted();
    order.exchange_payment_method_id = by;
    order.exchange_price_difference = difference;
    return order;
  },
  transfer_to_human_agents: () => 'Transfer successful',
};
