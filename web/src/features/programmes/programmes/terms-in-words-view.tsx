import type { TermInWords, TermsInWords } from '#services/rules/terms-in-words.ts'
import { DescriptionList } from '@/ui/card.tsx'

interface TermsInWordsViewProps {
  readonly words: TermsInWords
  /** The stage that somebody is in, from 0: the others are behind their names. */
  readonly inStage?: number
}

/** The terms of a programme in plain words, as the server says them. */
export function TermsInWordsView({ words: { general, stages }, inStage }: TermsInWordsViewProps) {
  return (
    <div className="flex flex-col gap-5">
      <TermList terms={general} />
      {stages.map((stage, n) =>
        inStage === undefined || inStage === n ? (
          <section key={n} aria-label={stage.name}>
            <h3 className="mb-2 text-14 font-semibold">{stage.name}</h3>
            <TermList terms={stage.terms} />
          </section>
        ) : (
          <details key={n}>
            <summary className="w-fit cursor-pointer rounded-sm text-14 hover:text-ink">Terms of {stage.name}</summary>
            <div className="mt-2">
              <TermList terms={stage.terms} />
            </div>
          </details>
        ),
      )}
    </div>
  )
}

function TermList({ terms }: { readonly terms: readonly TermInWords[] }) {
  const items = terms.map(({ title, text }) => ({ name: title, value: text }))
  return <DescriptionList className="grid-cols-[8rem_1fr]!" items={items} />
}
