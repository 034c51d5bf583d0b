import type { z } from 'zod'
import type { Tone } from '#services/framework/api/options.ts'

/**
 * How a subject's part of a state, and the fields that its events change, are shown to people: on the pages of the
 * audit, in a trader's history, in files, on the command line and on the verify page. None of these knows a subject.
 */

/** How a value is written. A status has words and a colour; of a secret is only shown that there is one. */
export type ValueKind =
  | 'text'
  | 'choice'
  | 'status'
  | 'money'
  | 'profit'
  | 'limit'
  | 'time'
  | 'day'
  | 'country'
  | 'secret'

export interface ShownField {
  readonly label: string
  readonly kind: ValueKind
  /** The words for values of a choice or a status; another value is shown as it is. */
  readonly words?: Readonly<Record<string, string>>
  readonly tones?: Readonly<Record<string, Tone>>
  /** Shown where nothing is set, if not 'not set'. */
  readonly unset?: string
  /** It belongs to what someone did, such as a download: nothing was there before. */
  readonly ofAction?: true
  /** The value that only the beginning of its thing sets: nothing was there before it, whatever an empty state says. */
  readonly begins?: boolean
}

/** The fields of an object that changes name: in 'accessKey.role' the object is 'accessKey', the field 'role'. */
export interface ShownObject {
  /** Only for a part of a state. */
  readonly form?: 'record' | 'list'
  readonly fields: Readonly<Record<string, ShownField>>
  /** Only for a part of a state: fields that only changes name. */
  readonly onlyInChanges?: Readonly<Record<string, ShownField>>
}

export interface RecordField extends ShownField {
  /** The heading that it stands under; null for a field that only changes name. */
  readonly section: string | null
  /** Its value tells one account from another. */
  readonly inTitle?: true
}

export interface ItemField extends ShownField {
  /** Where its value stands in the row of an item: in its first line, as a badge, in a smaller line, or nowhere. */
  readonly place: 'value' | 'status' | 'line' | null
  /** A word that stands before the value: 'by', 'Requested'. */
  readonly lead?: string
  /** Left out where the whole item was added: it says nothing new. */
  readonly hiddenInObject?: true
}

/** Each field of what is shown, but its id. */
type FieldsOf<Shape extends z.ZodObject, Field> = {
  readonly [Name in Exclude<keyof z.output<Shape>, 'id'> & string]: Field
}

/** A part of a state that is one thing. Its sections and their rows are in the order of its fields. */
export interface RecordPart<State, Shape extends z.ZodObject = z.ZodObject> extends ShownObject {
  readonly form: 'record'
  readonly schema: Shape
  readonly fields: FieldsOf<Shape, RecordField>
  show(state: State): z.output<Shape>
}

/** A part of a state that is a list: a section with a row for each item, oldest first. */
export interface ListPart<State, Shape extends z.ZodObject = z.ZodObject> extends ShownObject {
  readonly form: 'list'
  readonly title: string
  /** The name of one of them. */
  readonly item: string
  /** Shown while there are none. */
  readonly empty: string
  readonly schema: z.ZodArray<Shape>
  readonly fields: FieldsOf<Shape, ItemField>
  show(state: State): z.output<Shape>[]
}

/** A part of an aggregate's state, and how it is shown. */
export type Part<State = never> = RecordPart<State> | ListPart<State>

export function recordPart<State, Shape extends z.ZodObject>(
  part: Omit<RecordPart<State, Shape>, 'form'>,
): RecordPart<State, Shape> {
  return { form: 'record', ...part }
}

export function listPart<State, Shape extends z.ZodObject>(
  part: Omit<ListPart<State, Shape>, 'form'>,
): ListPart<State, Shape> {
  return { form: 'list', ...part }
}

export type Scalar = string | number | boolean | null
export type ShownRecord = Readonly<Record<string, Scalar>>
export type ShownItem = ShownRecord & { readonly id: string }

/** A part shows this content at a moment. */
export type ShownContent = ShownRecord | readonly ShownItem[]

/** Whether it is that of a list. */
export function isList(content: ShownContent): content is readonly ShownItem[] {
  return Array.isArray(content)
}

/** The object that a path begins with, and the field that it ends with. */
export function partsOfPath(path: string): { readonly object: string; readonly name: string } {
  const names = path.split('.')
  return { object: names[0] ?? path, name: names.at(-1) ?? path }
}
