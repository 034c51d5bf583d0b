import { z } from 'zod'
import type { Session } from '@/api/session.ts'
import { readOfTab, writeOfTab } from '@/stored.ts'
import { toast } from '@/toast.ts'

/**
 * What somebody typed and did not send, over the end of their session and over a reload: it is read from the fields at
 * that moment, kept in this tab, and filled in again where the same person sees the same form or dialog next. So forms
 * do nothing for it, and one that was sent or given up leaves nothing. Secrets and files are never kept.
 */

const Draft = z.object({
  person: z.string(),
  href: z.string(),
  place: z.string(),
  /** By the names of the fields; a tick is a boolean. */
  fields: z.record(z.string(), z.union([z.string(), z.boolean()])),
})
type Draft = z.infer<typeof Draft>

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/** The password of a trading account is shown as text: its name says what it is. */
const NEVER =
  '[type=password], [type=file], [type=search], [data-secret], [name*=password i], [autocomplete=one-time-code], [role=combobox], [readonly]'
const FIELDS = `:is(input, textarea, select):not(${NEVER})`
const PLACES = '[data-dialog], form'

/** The values of fields before somebody was at them. */
const before = new WeakMap<Field, string | boolean>()
/** Forms and dialogs in which something was typed. */
const typedIn = new WeakSet<Element>()

/** The id of the person whose page this is, if somebody is signed in. */
type WhoseId = () => string | undefined

/** Starts to follow what is typed, and fills in what was kept, for the life of the page. */
export function followDrafts(person: WhoseId): void {
  addEventListener('focusin', ({ target }) => {
    for (const [, field] of fieldsOf(placeOf(target))) if (!before.has(field)) before.set(field, valueOf(field))
  })
  addEventListener('input', ({ target }) => {
    const place = placeOf(target)
    if (place) typedIn.add(place)
  })
  addEventListener('pagehide', () => keepDrafts(person()))
  let isWaiting = false
  const fill = () => {
    isWaiting = false
    if (fillOne(person())) fillSoon()
  }
  const fillSoon = () => {
    if (isWaiting || kept().length === 0) return
    isWaiting = true
    // One field at a time: others appear with what it holds.
    setTimeout(fill)
  }
  new MutationObserver(fillSoon).observe(document.body, { childList: true, subtree: true })
}

/** Keeps what is typed on the page and not sent. @returns whether there is any. */
export function keepDrafts(person: string | undefined): boolean {
  if (person === undefined) return false
  const drafts = [...document.querySelectorAll(PLACES)]
    .filter((place) => placeOf(place) === place && typedIn.has(place))
    .map((place): Draft => {
      const changed = [...fieldsOf(place)].filter(([, field]) => before.get(field) !== valueOf(field))
      const fields = Object.fromEntries(changed.map(([name, field]) => [name, valueOf(field)]))
      return { person, href: here(), place: nameOf(place), fields }
    })
    .filter(({ fields }) => Object.keys(fields).length > 0)
  if (drafts.length > 0) keep([...kept().filter((one) => !drafts.some((other) => isSamePlace(one, other))), ...drafts])
  return drafts.length > 0
}

/** Forgets what was kept of the person who had this kind of session. */
export function forgetDrafts(session: Session): void {
  keep(kept().filter(({ person }) => !isOf(session, person)))
}

/** Names the person of a session among all people. */
export function personOfSession(session: Session, id: string): string {
  return `${session} ${id}`
}

function isOf(session: string | undefined, person: string): boolean {
  return person.split(' ')[0] === session
}

/** Fills in the first field that shows something else than was kept. @returns whether there was one. */
function fillOne(person: string | undefined): boolean {
  if (person === undefined) return false
  const drafts = kept().filter((draft) => draft.person === person || !isOf(person.split(' ')[0], draft.person))
  if (drafts.length < kept().length) keep(drafts)
  for (const draft of drafts) {
    if (draft.person !== person || draft.href !== here()) continue
    const place = [...document.querySelectorAll(PLACES)].find((one) => nameOf(one) === draft.place)
    for (const [name, field] of fieldsOf(place)) {
      const value = draft.fields[name]
      if (value === undefined || !canHold(field, value)) continue
      const { [name]: _, ...others } = draft.fields
      const rest = Object.keys(others).length > 0 ? [{ ...draft, fields: others }] : []
      keep(kept().flatMap((one) => (isSamePlace(one, draft) ? rest : [one])))
      if (valueOf(field) !== value) {
        put(field, value)
        toast('What you typed is here again', 'It is not saved yet.')
      }
      return true
    }
  }
  return false
}

function isSamePlace(one: Draft, other: Draft): boolean {
  return one.person === other.person && one.href === other.href && one.place === other.place
}

const here = () => location.pathname + location.search

/** The dialog or form of an element. */
function placeOf(target: EventTarget | null): Element | undefined {
  return target instanceof Element
    ? (target.closest('[data-dialog]') ?? target.closest('form') ?? undefined)
    : undefined
}

/** By the record that a dialog is about, else by what people read at it. */
function nameOf(place: Element): string {
  const textBy = (attribute: string) => document.getElementById(place.getAttribute(attribute) ?? '')?.textContent ?? ''
  if (place.matches('[data-dialog]'))
    return `${textBy('aria-labelledby')} ${place.getAttribute('data-about') ?? textBy('aria-describedby')}`
  return place.closest('section')?.querySelector('h2')?.textContent ?? ''
}

/** The fields of a place by names, as they stand in it. */
function fieldsOf(place: Element | undefined): Map<string, Field> {
  const fields = new Map<string, Field>()
  for (const field of place?.querySelectorAll<Field>(FIELDS) ?? []) {
    const name = field.name || (field.labels?.[0]?.textContent ?? field.getAttribute('aria-label') ?? '')
    // Boxes of one group share their name.
    const own = isBox(field) ? `${name} ${field.value}` : name
    let number = 1
    while (fields.has(`${own} ${number}`)) number += 1
    fields.set(`${own} ${number}`, field)
  }
  return fields
}

function isBox(field: Field): field is HTMLInputElement {
  return field instanceof HTMLInputElement && (field.type === 'checkbox' || field.type === 'radio')
}

function valueOf(field: Field): string | boolean {
  return isBox(field) ? field.checked : field.value
}

function canHold(field: Field, value: string | boolean): boolean {
  if (field.disabled || isBox(field) !== (typeof value === 'boolean')) return false
  return !(field instanceof HTMLSelectElement) || [...field.options].some((option) => option.value === value)
}

/** Changes a field as a person does, so that all that follows it hears of it. */
function put(field: Field, value: string | boolean): void {
  field.dispatchEvent(new FocusEvent('focusin', { bubbles: true }))
  if (typeof value === 'boolean') return field.click()
  // React overrides the setter of the element itself, and would take the change for its own.
  const prototype: unknown = Object.getPrototypeOf(field)
  Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(field, value)
  for (const name of ['input', 'change']) field.dispatchEvent(new Event(name, { bubbles: true }))
}

let shown: readonly Draft[] | undefined

function kept(): readonly Draft[] {
  return (shown ??= read())
}

function read(): readonly Draft[] {
  try {
    return z.array(Draft).parse(JSON.parse(readOfTab() ?? '[]'))
  } catch {
    return []
  }
}

function keep(drafts: readonly Draft[]): void {
  shown = drafts
  writeOfTab(drafts.length > 0 ? JSON.stringify(drafts) : null)
}
