/** Labels of the values that a field may have. */
export type Labels<Values extends readonly string[]> = Readonly<Record<Values[number], string>>

/** The colour of a status has one of these meanings. */
export type Tone = 'good' | 'review' | 'waiting' | 'bad' | 'outline' | 'plain'

/** Colours of the values that a status may have. */
export type Tones<Values extends readonly string[]> = Readonly<Record<Values[number], Tone>>

/** Values and labels for a field with choices. */
export function optionsOf<Value extends string>(
  values: readonly Value[],
  labels: Readonly<Record<Value, string>>,
): readonly { value: Value; label: string }[] {
  return values.map((value) => ({ value, label: labels[value] }))
}
