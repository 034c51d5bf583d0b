import { useQuery } from '@tanstack/react-query'
import { programmeRoutes } from '#services/programmes/programmes/programme-api.ts'
import { routeQuery } from '@/api/route-query.ts'
import { TermsInWordsView } from '@/features/programmes/programmes/terms-in-words-view.tsx'
import { Dialog } from '@/ui/dialog.tsx'
import { Loaded, LoadingLines } from '@/ui/states.tsx'

const offeredProgrammeQuery = (id: string) =>
  routeQuery(programmeRoutes.offeredProgramme, { params: { id }, session: 'trader', subjects: ['programmes'] })

interface OfferTermsProps {
  /** The id of the programme that the offer enrols in. */
  readonly programme: string
  readonly title: string
  readonly onClose: () => void
}

/** The terms of an offer in plain words, made from its programme. */
export function OfferTermsDialog({ programme, title, onClose }: OfferTermsProps) {
  const offered = useQuery(offeredProgrammeQuery(programme))
  const loading = <LoadingLines lines={12} label="Loading the terms" />
  return (
    <Dialog
      onClose={onClose}
      title={title}
      description={
        offered.data && `The terms of ${offered.data.terms.name}, version ${offered.data.version}, for a purchase now.`
      }
    >
      <Loaded query={offered} failure="The terms could not be loaded" loading={loading}>
        {({ words }) => <TermsInWordsView words={words} />}
      </Loaded>
    </Dialog>
  )
}
