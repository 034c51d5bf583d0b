/** The fields of observations as people see and correct them, in the order in which forms show them. */
export const observationFields = [
  { name: 'id', label: 'Number', kinds: ['trade'] },
  { name: 'date', label: 'Date', kinds: ['day'] },
  { name: 'symbol', label: 'Symbol', kinds: ['trade'], optional: true },
  { name: 'side', label: 'Side', kinds: ['trade'], optional: true },
  { name: 'volume', label: 'Volume', kinds: ['trade'] },
  { name: 'openedAt', label: 'Opened', kinds: ['trade'], optional: true },
  { name: 'at', label: 'Time', kinds: ['trade', 'day', 'state', 'transfer'] },
  { name: 'openPrice', label: 'Price of the opening', kinds: ['trade'], optional: true },
  { name: 'closePrice', label: 'Price of the close', kinds: ['trade'], optional: true },
  { name: 'profit', label: 'Profit', kinds: ['trade'] },
  { name: 'balance', label: 'Balance', kinds: ['day', 'state'] },
  { name: 'equity', label: 'Equity', kinds: ['day', 'state'] },
  { name: 'lowestEquity', label: 'Lowest equity', kinds: ['day'] },
  { name: 'highestEquity', label: 'Highest equity', kinds: ['day'] },
  { name: 'trades', label: 'Number of trades', kinds: ['day'] },
  { name: 'amount', label: 'Amount', kinds: ['transfer'] },
  { name: 'why', label: 'Why', kinds: ['transfer'] },
] as const

export type ObservationFieldName = (typeof observationFields)[number]['name']
