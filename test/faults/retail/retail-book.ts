import { isDeepStrictEqual } from 'node:util';

/** The records of a shop, as the benchmark's data has them. */
export interface RetailBook {
  readonly products: Readonly<Record<string, Product>>;
  readonly users: Readonly<Record<string, User>>;
  readonly orders: Readonly<Record<string, Order>>;
}

export interface Variant {
  readonly item_id: string;
  readonly options: Readonly<Record<string, string>>;
  readonly available: boolean;
  readonly price: number;
}

export interface Product {
  readonly name: string;
  readonly product_id: string;
  readonly variants: Readonly<Record<string, Variant>>;
}

export interface PaymentMethod {
  readonly id: string;
  readonly source: 'credit_card' | 'gift_card' | 'paypal';
  balance?: number;
}

export interface User {
  readonly user_id: string;
  readonly name: { readonly first_name: string; readonly last_name: string };
  readonly email: string;
  address: Address;
  readonly payment_methods: Readonly<Record<string, PaymentMethod>>;
}

export type Address = Readonly<Record<string, string>>;

export interface OrderItem {
  item_id: string;
  readonly product_id: string;
  price: number;
  options: Readonly<Record<string, string>>;
}

export interface Order {
  readonly order_id: string;
  readonly user_id: string;
  readonly items: readonly OrderItem[];
  readonly payment_history: {
    readonly transaction_type: 'payment' | 'refund';
    readonly amount: number;
    readonly payment_method_id: string;
  }[];
  status: string;
  address: Address;
  cancel_reason?: string;
  return_items?: readonly string[];
  return_payment_method_id?: string;
  exchange_items?: readonly string[];
  exchange_new_items?: readonly string[];
  exchange_payment_method_id?: string;
  exchange_price_difference?: number;
}

/** One task's own view of the book: records are copied as they are first looked at. */
export class BookCopy {
  readonly #book: RetailBook;
  readonly #copies = new Map<string, User | Order>();

  constructor(book: RetailBook) {
    this.#book = book;
  }

  get products(): RetailBook['products'] {
    return this.#book.products;
  }

  get userIds(): readonly string[] {
    return Object.keys(this.#book.users);
  }

  user(id: string): User {
    return this.#copy('users', id, 'User not found');
  }

  order(id: string): Order {
    return this.#copy('orders', id, 'Order not found');
  }

  /** Every record that differs from the book, by `orders/<id>` or `users/<id>`. */
  changed(): Record<string, unknown> {
    const changed = [...this.#copies].filter(([path, copy]) => {
      const [kind = '', id = ''] = path.split('/');
      const original = this.#book[kind as 'orders' | 'users'][id];
      return !isDeepStrictEqual(copy, original);
    });
    return Object.fromEntries(changed);
  }

  #copy<Kind extends 'users' | 'orders'>(kind: Kind, id: string, missing: string) {
    const path = `${kind}/${id}`;
    const original = this.#book[kind][id];
    if (original === undefined) throw new RetailError(missing);
    const copy = this.#copies.get(path) ?? structuredClone(original);
    this.#copies.set(path, copy);
    return copy as RetailBook[Kind][string];
  }
}

/** A condition of the desk does not hold; nothing was changed. */
export class RetailError extends Error {}
