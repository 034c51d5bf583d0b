import type { TermInWords, TermsInWords } from '#services/rules/terms-in-words.ts'
import { DescriptionList } from '@/ui/card.tsx'

/** The terms of a programme in plain words, as the server says them. */
export function TermsInWordsView({ words: { general, stages } }: { readonly words: TermsInWords }) {
  return (
    <div className="flex flex-col gap-5">
      <TermList terms={general} />
      {stages.map((stage, n) => (
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
