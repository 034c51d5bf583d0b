import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Certificate } from '../../../../../services/api/certificate-schemas.ts'
import { get, send } from '../../../api/api.ts'
import { adminChange } from '../admin-change.ts'

const certificateList = () => import('../../../../../services/api/certificate-schemas.ts').then(({ Certificate }) => Certificate.array())

/** A trader's certificates. */
export const userCertificatesQuery = (user: string) =>
  queryOptions({
    queryKey: ['admin', 'user', user, 'certificates'],
    queryFn: ({ signal }): Promise<Certificate[]> => get(`/api/admin/user/${encodeURIComponent(user)}/certificates`, certificateList, { signal }),
    staleTime: 0,
    meta: { session: 'admin' },
  })

/** Declares a certificate invalid. */
export const revokeCertificate = (client: QueryClient) =>
  adminChange(client, {
    send: ({ id, reason }: { readonly id: string; readonly reason: string }) =>
      send('POST', `/api/admin/certificates/${encodeURIComponent(id)}/revoke`, { reason }),
    done: () => ['Certificate revoked', 'The trader gets a mail.'],
    failed: () => 'Update failed',
    refreshes: ['user'],
  })
