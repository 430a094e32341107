import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import orders from './orders.json' with { type: 'json' };

export type Order = (typeof orders)[number];

/** One effect as it happened outside: a line of the desk's book. */
export interface Booking {
  readonly kind: 'refund' | 'notification';
  /** Of the call that made it. */
  readonly idempotencyKey: string;
  readonly orderId: string;
  readonly amountCents?: number;
  readonly text?: string;
  readonly at: string;
}

/** The shop's back office: orders to read, and a book in a plain file in which every effect is a line. */
export function openDesk(bookPath: string) {
  mkdirSync(dirname(bookPath), { recursive: true });
  const bookings = (): Booking[] =>
    existsSync(bookPath)
      ? readFileSync(bookPath, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as Booking)
      : [];
  return {
    findOrder: (id: string): Order | undefined => orders.find((order) => order.id === id),
    bookings,
    bookingOf: (idempotencyKey: string): Booking | undefined =>
      bookings().find((booking) => booking.idempotencyKey === idempotencyKey),
    book(booking: Omit<Booking, 'at'>): Booking {
      const written = { ...booking, at: new Date().toISOString() };
      appendFileSync(bookPath, `${JSON.stringify(written)}\n`);
      return written;
    },
  };
}

export type Desk = ReturnType<typeof openDesk>;
