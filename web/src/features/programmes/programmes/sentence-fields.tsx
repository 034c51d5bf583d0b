import { clsx } from 'clsx'
import { ChevronDown, X } from 'lucide-react'
import { type ComponentProps, Fragment, type ReactNode, useId, useState } from 'react'
import {
  type AmountBlank,
  type Blank,
  type ChoiceBlank,
  type CountBlank,
  type Option,
  isAsked,
  optionInEditor,
  optionOf,
  partsOf,
  type Sentence,
  splitsIn,
  type SeveralBlank,
  type SplitsBlank,
  valueAt,
  wholes,
} from '#services/rules/sentences.ts'
import { readTypedAmount } from '@/form/typed-amount.ts'
import { formatCents } from '@/format/money.ts'
import { textLink } from '@/ui/link.tsx'
import { centsOfPercent, type Json } from './family.ts'
import { faultInWords } from './blank-faults.ts'

/** Sentences with fields in place of what may differ: where terms are written as they are read. */

/** How the fields of a page read and change what is written. */
export interface Writing {
  /** Sizes of the accounts in cents, from the smallest to the largest; empty while there is none. */
  readonly sizes: readonly number[]
  /** Whether a fault stands at this path, and is to be shown. */
  readonly isFault: (path: string) => boolean
  /** Undefined leaves the field out. */
  readonly fill: (path: string, value: Json | undefined) => void
  readonly fillAmount: (path: string, typed: string, blank: AmountBlank) => void
  readonly changeUnit: (path: string, of: AmountBlank['of'][number] | 'dollars') => void
}

interface SentenceFieldsProps {
  readonly sentence: Sentence
  /** What the sentence is about. */
  readonly terms: Json
  /** Its path in the document. */
  readonly path: string
  readonly writing: Writing
}

/** A sentence with its blanks to fill in. */
export function SentenceFields({ sentence: { text, blanks }, terms, path, writing }: SentenceFieldsProps) {
  /** A blank that comes again repeats what was filled in. */
  const seen = new Set<string>()
  const show = (words: string): ReactNode => {
    const parts = partsOf(words)
    return parts.map((part, n) => {
      if (typeof part === 'string') return <span key={n}>{n > 0 ? part.replace(MARK, '') : part}</span>
      const blank = blanks[part.name]
      if (!blank || !isAsked(blank, terms)) return null
      const place = path === '' ? blank.at : `${path}.${blank.at}`
      const value = valueAt(terms, blank.at)
      const option = blank.kind === 'choice' ? optionOf(blank, terms) : undefined
      const next = parts[n + 1]
      const mark = typeof next === 'string' ? MARK.exec(next)?.[0] : undefined
      const rest = option ? optionInEditor(option).rest : ''
      if (seen.has(part.name)) return <span key={n}>{`${String(value)}${mark ?? ''}`}</span>
      seen.add(part.name)
      return (
        <Fragment key={part.name}>
          {n > 0 && option && startsWithMark(option) && <span> </span>}
          {/* A mark never begins a line. */}
          <span className={clsx((blank.kind === 'choice' || blank.kind === 'percent') && oneLine)}>
            <BlankField blank={blank} value={value} chosen={option} path={place} writing={writing} />
            {mark !== undefined && rest === '' && <span>{mark}</span>}
          </span>
          {rest !== '' && show(rest)}
          {mark !== undefined && rest !== '' && <span>{mark}</span>}
        </Fragment>
      )
    })
  }
  return <p className="text-14 leading-8">{show(text)}</p>
}

/** Where a fault is told, its words may go on below. */
const oneLine = 'whitespace-nowrap has-aria-invalid:whitespace-normal'

/** What follows a word without a space. */
const MARK = /^[.,;%]+/

/** Words that begin with a mark or a blank stand without one in a list. */
function startsWithMark({ words, label }: Option): boolean {
  return words === '' || /^[,:;\s]/.test(words) || (label !== undefined && words.startsWith('{'))
}

interface BlankProps<Of extends Blank> {
  readonly blank: Of
  readonly value: unknown
  readonly path: string
  readonly writing: Writing
}

function BlankField({ chosen, ...field }: BlankProps<Blank> & { readonly chosen: Option | undefined }) {
  const { blank } = field
  if (blank.kind === 'choice') return <Choice {...field} blank={blank} chosen={chosen} />
  if (blank.kind === 'splits') return <Splits {...field} blank={blank} />
  if (blank.kind === 'amount') return <Amount {...field} blank={blank} />
  const { value, path, writing } = field
  const fault = writing.isFault(path) ? faultInWords(blank, value) : undefined
  const common = { label: blank.label, fault }
  switch (blank.kind) {
    case 'count':
      return <Count {...common} blank={blank} value={value} onChange={(count) => writing.fill(path, count)} />
    case 'percent':
      return (
        <Typed {...common} value={textOf(value)} read={readPercent} onChange={(text) => writing.fill(path, text)} />
      )
    case 'time':
      return (
        <Typed
          {...common}
          value={textOf(value)}
          read={same}
          settle={timeOf}
          width={5}
          onChange={(text) => writing.fill(path, text)}
        />
      )
    case 'volume':
      return (
        <Typed {...common} value={textOf(value)} read={readPercent} onChange={(text) => writing.fill(path, text)} />
      )
    case 'names':
      return (
        <Typed
          {...common}
          inputMode="text"
          value={Array.isArray(value) ? value.join(', ') : ''}
          read={same}
          onChange={(text) => writing.fill(path, namesIn(text))}
        />
      )
    case 'several':
      return <Several {...common} blank={blank} value={value} onChange={(chosen) => writing.fill(path, chosen)} />
    case 'zone':
      return <Zone {...common} value={textOf(value)} onChange={(text) => writing.fill(path, text)} />
  }
}

function Choice({
  blank,
  value,
  chosen,
  path,
  writing,
}: BlankProps<ChoiceBlank> & { readonly chosen: Option | undefined }) {
  const { label, options } = blank
  const fault = chosen || !writing.isFault(path) ? undefined : faultInWords(blank, value)
  return (
    <Picked
      label={label}
      fault={fault}
      value={chosen ? String(options.indexOf(chosen)) : ''}
      options={[
        ...(chosen ? [] : [{ value: '', label: 'please choose' }]),
        ...options.map((option, n) => ({ value: String(n), label: optionInEditor(option).label })),
      ]}
      onChange={(index) => {
        const option = options[Number(index)]
        if (option) writing.fill(path, option.value)
      }}
    />
  )
}

function Amount({ blank, value, path, writing }: BlankProps<AmountBlank>) {
  const amount = valueAt(value, 'amount')
  const percent = valueAt(value, 'percent')
  const of = blank.of.find((whole) => whole === valueAt(value, 'of'))
  const isDollars = amount !== undefined
  const fault = writing.isFault(path) ? faultInWords(blank, value) : undefined
  const shares = of === 'account-size' ? writing.sizes.map((size) => centsOfPercent(textOf(percent), size)) : []
  const [smallest, largest] = [shares[0], shares.at(-1)]
  return (
    <>
      <Typed
        label={isDollars ? `${blank.label} in dollars` : `${blank.label} in %`}
        fault={fault}
        value={isDollars ? moneyShown(textOf(amount)) : textOf(percent)}
        read={isDollars ? readMoney : readPercent}
        onChange={(typed) =>
          isDollars
            ? writing.fillAmount(path, typed, blank)
            : writing.fill(path, { percent: typed, of: of ?? 'account-size' })
        }
      />
      <span> </span>
      <Picked
        label={`${blank.label}: of what`}
        value={isDollars ? 'dollars' : (of ?? '')}
        options={[
          ...blank.of.map((whole) => ({ value: whole, label: `% of ${wholes[whole]}` })),
          { value: 'dollars', label: 'dollars' },
        ]}
        onChange={(unit) => writing.changeUnit(path, blank.of.find((whole) => whole === unit) ?? 'dollars')}
      />
      {smallest !== undefined && largest !== undefined && (
        <span className="text-muted">
          {smallest === largest
            ? ` (${formatCents(smallest)})`
            : ` (${formatCents(smallest)} to ${formatCents(largest)})`}
        </span>
      )}
    </>
  )
}

interface FieldProps<Value> {
  readonly label: string
  readonly fault: string | undefined
  readonly value: Value
  readonly onChange: (value: string) => void
}

function Count({
  blank,
  value,
  onChange,
  ...common
}: Omit<FieldProps<unknown>, 'onChange'> & { readonly blank: CountBlank; readonly onChange: (count: Json) => void }) {
  return (
    <>
      <Typed
        {...common}
        inputMode="numeric"
        value={String(value ?? '')}
        read={same}
        onChange={(typed) => onChange(/^\d{1,15}$/.test(typed.trim()) ? Number(typed) : typed)}
      />
      <span> </span>
      <span>{value === 1 ? blank.one : `${blank.one}s`}</span>
    </>
  )
}

/** Words of which several may be chosen, in their order. */
function Several({
  blank: { label, options },
  fault,
  value,
  onChange,
}: {
  readonly label: string
  readonly fault: string | undefined
  readonly blank: SeveralBlank
  readonly value: unknown
  readonly onChange: (chosen: Json) => void
}) {
  const id = useId()
  const chosen: readonly unknown[] = Array.isArray(value) ? value : []
  return (
    <>
      <span role="group" aria-label={label} aria-describedby={fault === undefined ? undefined : id}>
        {options.map((option) => (
          <label key={option.value} className="mx-0.5 inline-flex min-h-6 items-center gap-1 whitespace-nowrap">
            <input
              type="checkbox"
              checked={chosen.includes(option.value)}
              onChange={({ target }) =>
                onChange(
                  options.flatMap((each) =>
                    (each === option ? target.checked : chosen.includes(each.value)) ? each.value : [],
                  ),
                )
              }
            />
            {option.words}
          </label>
        ))}
      </span>
      <Fault id={id} fault={fault} />
    </>
  )
}

function Splits({ blank, value, path, writing }: BlankProps<SplitsBlank>) {
  const splits = splitsIn(value)
  const listed: readonly Json[] = splits.map((each) => ({ payouts: numberOf(each.payouts), split: textOf(each.split) }))
  return (
    <>
      {splits.map((each, n) => (
        <Fragment key={n}>
          <span>, </span>
          <Typed
            label={`Later share ${n + 1} in %`}
            fault={
              writing.isFault(`${path}[${n}].split`)
                ? faultInWords({ ...blank, kind: 'percent' }, each.split)
                : undefined
            }
            value={textOf(each.split)}
            read={readPercent}
            onChange={(text) => writing.fill(`${path}[${n}].split`, text)}
          />
          <span>% after </span>
          <Count
            label={`Payouts before later share ${n + 1}`}
            blank={{ ...blank, kind: 'count', one: 'payout', least: 1 }}
            fault={
              writing.isFault(`${path}[${n}].payouts`)
                ? faultInWords({ ...blank, kind: 'count', one: 'payout', least: 1 }, each.payouts)
                : undefined
            }
            value={each.payouts}
            onChange={(count) => writing.fill(`${path}[${n}].payouts`, count)}
          />
          <SmallButton
            label={`Remove later share ${n + 1}`}
            onClick={() =>
              writing.fill(
                path,
                listed.filter((_, index) => index !== n),
              )
            }
          >
            <X size={14} aria-hidden />
          </SmallButton>
        </Fragment>
      ))}
      <span> </span>
      <button
        type="button"
        onClick={() => writing.fill(path, [...listed, { payouts: 3, split: '90' }])}
        className={clsx(textLink, 'inline-flex min-h-6 items-center text-13')}
      >
        Add a later share
      </button>
    </>
  )
}

function SmallButton({
  label,
  onClick,
  children,
}: {
  readonly label: string
  readonly onClick: () => void
  readonly children: ReactNode
}) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={onClick}
      className="mx-0.5 inline-grid size-6 place-items-center rounded-sm align-middle text-muted hover:bg-hover hover:text-ink"
    >
      {children}
    </button>
  )
}

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]

/** A time zone by its name, or by its city: 'Prague' is Europe/Prague. */
function Zone(field: FieldProps<string>) {
  const list = useId()
  return (
    <>
      <Typed {...field} read={same} settle={zoneOf} list={list} width={18} />
      <datalist id={list}>
        {zones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  )
}

/** '9:30' is '09:30', and '17' is '17:00'. */
function timeOf(typed: string): string {
  const [match, hour = '', minute = '00'] = /^(\d{1,2})(?:[:.](\d\d))?$/.exec(typed.trim()) ?? []
  return match === undefined ? typed : `${hour.padStart(2, '0')}:${minute}`
}

function zoneOf(typed: string): string {
  const wanted = typed.trim().replaceAll(' ', '_').toLowerCase()
  const found = zones.filter((zone) => zone.toLowerCase() === wanted || zone.toLowerCase().endsWith(`/${wanted}`))
  return found.length === 1 && found[0] !== undefined ? found[0] : typed.trim()
}

interface TypedProps extends FieldProps<string>, Pick<ComponentProps<'input'>, 'inputMode' | 'list'> {
  /** What the document gets of a text. */
  readonly read: (typed: string) => string
  /** What the text becomes when the field is left. */
  readonly settle?: (typed: string) => string
  /** In letters; by default as many as it has. */
  readonly width?: number
}

/** A field of a line. What is typed stays as it is until the field is left. */
export function Typed({ label, fault, value, onChange, read, settle, width, ...input }: TypedProps) {
  const id = useId()
  const [typed, setTyped] = useState<string>()
  const shown = typed ?? value
  return (
    <>
      <input
        type="text"
        inputMode="decimal"
        autoComplete="off"
        spellCheck={false}
        {...input}
        aria-label={label}
        aria-invalid={fault !== undefined || undefined}
        aria-describedby={fault === undefined ? undefined : id}
        size={width ?? Math.max(3, shown.length)}
        value={shown}
        onChange={({ target }) => {
          setTyped(target.value)
          onChange(read(target.value))
        }}
        onBlur={() => {
          if (typed !== undefined && settle) onChange(settle(typed))
          setTyped(undefined)
        }}
        className={inline}
      />
      <Fault id={id} fault={fault} />
    </>
  )
}

const inline =
  'mx-0.5 h-7 max-w-[calc(100%-0.25rem)] px-1.5 rounded-sm border border-edge bg-card align-baseline text-14 text-ink transition-colors duration-150 aria-invalid:border-bad'

interface PickedProps {
  readonly label: string
  readonly fault?: string | undefined
  readonly value: string
  readonly options: readonly { readonly value: string; readonly label: string }[]
  readonly onChange: (value: string) => void
}

/** A choice in a line. Its words wrap as words do; the list of the browser lies over them, unseen. */
function Picked({ label, fault, value, options, onChange }: PickedProps) {
  const id = useId()
  return (
    <>
      <span
        className={clsx(
          'relative inline-block max-w-[calc(100%-1ch)] rounded-sm border whitespace-normal bg-sunken py-0.5 pr-6 pl-1.5 align-baseline leading-5 hover:bg-hover',
          'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
          fault === undefined ? 'border-edge/60' : 'border-bad',
        )}
      >
        <span aria-hidden>{options.find((option) => option.value === value)?.label ?? 'please choose'}</span>
        <ChevronDown size={14} aria-hidden className="absolute top-1.5 right-1.5 text-muted" />
        <select
          aria-label={label}
          aria-invalid={fault !== undefined || undefined}
          aria-describedby={fault === undefined ? undefined : id}
          value={value}
          onChange={({ target }) => onChange(target.value)}
          className="absolute inset-0 size-full opacity-0"
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      </span>
      <Fault id={id} fault={fault} />
    </>
  )
}

function Fault({ id, fault }: { readonly id: string; readonly fault: string | undefined }) {
  if (fault === undefined) return null
  return (
    <span id={id} className="mx-1 inline-block text-12 leading-4 whitespace-normal text-bad">
      {fault}
    </span>
  )
}

const same = (typed: string): string => typed

/** 'EURUSD, XAU*' as a list. */
function namesIn(typed: string): string[] {
  return typed
    .split(/[,;]/)
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

/** '5,5 %' is '5.5'. */
function readPercent(typed: string): string {
  const text = typed.replace(/[%\s]/g, '').replace(',', '.')
  return text
    .replace(/^0+(?=\d)/, '')
    .replace(/^\./, '0.')
    .replace(/\.$/, '')
}

/** '2,000' is '2000.00'; what is no amount stays as it was typed. */
export function readMoney(typed: string): string {
  const read = readTypedAmount(typed)
  if (!read) return typed
  // Whole thousands are meant where a mark parts three digits: nobody writes a limit to a tenth of a cent.
  const amount = 'amount' in read ? read.amount : (read.readings.find((one) => Number(one) >= 1_000) ?? typed)
  return /^\d+$/.test(amount) ? `${amount}.00` : amount.replace(/^(\d+)\.(\d)$/, '$1.$20')
}

/** '2000.00' is '2,000'. */
export function moneyShown(amount: string): string {
  const [match, whole = '', cents = ''] = /^(\d+)\.(\d\d)$/.exec(amount) ?? []
  if (match === undefined) return amount
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${cents === '00' ? '' : `.${cents}`}`
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0
}
