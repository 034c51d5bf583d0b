import { generalTermsInWords, programmeInWords, type TermInWords } from '#services/modules/programmes/terms-in-words.ts'
import { DescriptionList } from '@/ui/card.tsx'
import type { Terms } from './programme-queries.ts'

/** The terms of a programme in plain words. */
export function TermsView({ terms }: { readonly terms: Terms }) {
  return (
    <div className="flex flex-col gap-5">
      <TermList terms={generalTermsInWords(terms)} />
      {programmeInWords(terms).map((stage, n) => (
        <section key={n} aria-label={stage.name}>
          <h3 className="mb-2 text-14 font-semibold">{stage.name}</h3>
          <TermList terms={stage.terms} />
        </section>
      ))}
    </div>
  )
}

function TermList({ terms }: { readonly terms: readonly TermInWords[] }) {
  const items = terms.map(({ title, text }) => ({ name: title, value: text }))
  return <DescriptionList className="grid-cols-[8rem_1fr]!" items={items} />
}
