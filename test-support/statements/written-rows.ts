/**
 * Rows that tests write as statements of platforms. Everything here is exact text, and nothing here or in the writers
 * shares code with the reader: a fault of one is not a fault of the other.
 */

/** A closed trade. Times are those of the file's clock: `2026-11-02 09:30:00`, with `.123` where milliseconds count. */
export interface WrittenTrade {
  readonly id: string
  readonly login: string
  readonly symbol: string
  readonly side: 'buy' | 'sell'
  readonly volume: string
  readonly opened: string
  readonly closed: string
  readonly openPrice: string
  readonly closePrice: string
  /** The result before all costs. */
  readonly profit: string
  /** What these add to the balance: a cost is negative. */
  readonly commission: string
  readonly swap: string
  readonly fee: string
}

/** A row of a ledger: its type is the platform's word, as `balance` or `credit`. */
export interface WrittenEntry {
  readonly id: string
  readonly login: string
  readonly at: string
  readonly type: string
  readonly amount: string
  readonly comment: string
}

/** The exact sum of decimals, with two decimals or more where one has more. */
export function sum(...amounts: readonly string[]): string {
  const places = Math.max(2, ...amounts.map((amount) => amount.split('.')[1]?.length ?? 0))
  const total = amounts.reduce((all, amount) => all + whole(amount, places), 0n)
  return decimal(total, places)
}

/** The same amount with the other sign. */
export function negated(amount: string): string {
  if (amount.startsWith('-')) return amount.slice(1)
  return /[1-9]/.test(amount) ? `-${amount}` : amount
}

export function isNegative(amount: string): boolean {
  return amount.startsWith('-')
}

/** The result of a trade with all its costs. */
export function netOf({ profit, commission, swap, fee }: WrittenTrade): string {
  return sum(profit, commission, swap, fee)
}

function whole(amount: string, places: number): bigint {
  const [digits = '', fraction = ''] = amount.replace('-', '').split('.')
  const value = BigInt(digits + fraction.padEnd(places, '0'))
  return isNegative(amount) ? -value : value
}

function decimal(value: bigint, places: number): string {
  const digits = String(value < 0n ? -value : value).padStart(places + 1, '0')
  return `${value < 0n ? '-' : ''}${digits.slice(0, -places)}.${digits.slice(-places)}`
}

/** How a file writes numbers: the decimal mark, and what stands between thousands. */
export interface NumberStyle {
  readonly mark: '.' | ','
  readonly thousands: string
}

export const plain: NumberStyle = { mark: '.', thousands: '' }

/** A number in the style of a file. */
export function styled(number: string, { mark, thousands }: NumberStyle): string {
  const [digits = '', fraction] = number.split('.')
  const grouped = digits.replaceAll(/\B(?=(\d{3})+$)/g, thousands)
  return fraction === undefined ? grouped : grouped + mark + fraction
}

/** With as many decimals as the platform writes: `12.50` becomes `12.500000000`. */
export function padded(number: string, places: number): string {
  const [digits = '', fraction = ''] = number.split('.')
  return `${digits}.${fraction.padEnd(places, '0')}`
}

/** A time in the style of a file, of `YYYY`, `YY`, `MM`, `M`, `DD`, `D`, `HH`, `H`, `h` with `A`, `mm`, `ss` and `SSS`. */
export function timed(time: string, style: string): string {
  const [date = '', clock = '00:00:00'] = time.split(' ')
  const [year = '', month = '', day = ''] = date.split('-')
  const [hour = '', minute = '', seconds = ''] = clock.split(':')
  const [second = '', millisecond = '000'] = seconds.split('.')
  const parts: Readonly<Record<string, string>> = {
    YYYY: year,
    YY: year.slice(2),
    MM: month,
    M: String(Number(month)),
    DD: day,
    D: String(Number(day)),
    HH: hour,
    H: String(Number(hour)),
    h: String(Number(hour) % 12 === 0 ? 12 : Number(hour) % 12),
    A: Number(hour) < 12 ? 'AM' : 'PM',
    mm: minute,
    ss: second,
    SSS: millisecond,
  }
  return style.replaceAll(/YYYY|YY|MM|M|DD|D|HH|H|h|A|mm|SSS|ss/g, (part) => parts[part] ?? part)
}
