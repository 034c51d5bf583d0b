import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { CertificateSharing } from '../../../../services/api/certificate-schemas.ts'
import { messageOf } from '../../api/api-error.ts'
import { send } from '../../api/api.ts'
import { readQuery } from '../../query-client.ts'
import { toast, toastFailure } from '../../toast.ts'

/** The trader's own certificates. */
export const certificatesQuery = readQuery(['certificates'], '/api/user/certificates', () =>
  import('../../../../services/api/certificate-schemas.ts').then(({ Certificate }) => Certificate.array()),
)

const pathOf = (id: string) => `/api/user/certificates/${encodeURIComponent(id)}/share`
const failed = (error: Error) => toastFailure('Update failed', messageOf(error))

/** Makes the public link of a certificate, or changes what its page shows. It is pending until the list shows it. */
export function useShareCertificate() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, ...sharing }: CertificateSharing & { readonly id: string }) => send('POST', pathOf(id), sharing),
    onError: failed,
    onSettled: () => client.invalidateQueries({ queryKey: certificatesQuery.queryKey }),
  })
}

/** Ends the public link of a certificate. */
export function useEndSharing() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => send('DELETE', pathOf(id)),
    onSuccess: () => toast('No longer shared', 'The link does not work any more.'),
    onError: failed,
    onSettled: () => client.invalidateQueries({ queryKey: certificatesQuery.queryKey }),
  })
}
