/** The fields of observations as people see and correct them, in the order in which forms show them. */
export const observationFields = [
  { name: 'id', label: 'Number', kinds: ['trade'] },
  { name: 'date', label: 'Date', kinds: ['day'] },
  { name: 'symbol', label: 'Symbol', kinds: ['trade'] },
  { name: 'side', label: 'Side', kinds: ['trade'] },
  { name: 'volume', label: 'Volume', kinds: ['trade'] },
  { name: 'openedAt', label: 'Opened', kinds: ['trade'] },
  { name: 'at', label: 'Time', kinds: ['trade', 'day', 'state', 'transfer'] },
  { name: 'openPrice', label: 'Price of the opening', kinds: ['trade'] },
  { name: 'closePrice', label: 'Price of the close', kinds: ['trade'] },
  { name: 'profit', label: 'Net profit', kinds: ['trade'] },
  { name: 'balance', label: 'Balance', kinds: ['day', 'state'] },
  { name: 'equity', label: 'Equity', kinds: ['day', 'state'] },
  { name: 'lowestEquity', label: 'Lowest equity', kinds: ['day'] },
  { name: 'highestEquity', label: 'Highest equity', kinds: ['day'] },
  { name: 'trades', label: 'Number of trades', kinds: ['day'] },
  { name: 'amount', label: 'Amount', kinds: ['transfer'] },
  { name: 'why', label: 'Why', kinds: ['transfer'] },
] as const

export type ObservationFieldName = (typeof observationFields)[number]['name']

type Texts = Readonly<Partial<Record<ObservationFieldName, string>>>

/** The fields of observations of a kind. */
export function fieldsOf(kind: string) {
  return observationFields.filter(({ kinds }) => kinds.some((each) => each === kind))
}

/** What the fields of a form hold at first. */
export function textsOf(observation: Readonly<Record<string, unknown>>): Texts {
  return Object.fromEntries(
    observationFields.flatMap(({ name }) => {
      const value = observation[name]
      return typeof value === 'string' || typeof value === 'number' ? [[name, String(value)] as const] : []
    }),
  )
}

/** The observation that a form makes of one: a fact whose field is empty is not known. */
export function observationFrom(before: Readonly<Record<string, unknown>>, texts: Texts): Record<string, unknown> {
  const fields = new Set<string>(observationFields.map(({ name }) => name))
  const others = Object.entries(before).filter(([name]) => !fields.has(name))
  const filled = Object.entries(texts).flatMap(([name, text]) => {
    const value = text.trim()
    return value === '' ? [] : [[name, name === 'trades' ? Number(value) : value] as const]
  })
  return Object.fromEntries([...others, ...filled])
}
