const FIRST =
  "Ada Aiko Amara Anders Anika Bao Beatriz Björn Chloé Dario Elif Emeka Fatima Femi Greta Hana Hugo Ines Ivan Jae Jonas Kavya Lars Leila Luca Mara Mateo Mei Nadia Noor Olga Omar Paulo Priya Quinn Rosa Sami Sofia Tariq Yuki";
const LAST =
  "Abe Adeyemi Ahmed Bauer Berg Castro Chen Costa Diaz Dubois Eriksen Fischer Garcia Haddad Hoffmann Ito Jansen Jovanović Kaya Khan Kim Kowalski Larsen Lopez Martin Mensah Meyer Moreau Müller Nguyen Nowak Okafor Olsen Park Patel Pereira Petrov Ricci Rossi Sato Schmidt Silva Singh Souza Suzuki Tanaka Torres Vega Wang Yilmaz";
const KIND =
  "Alpine Amber Arctic Atlas Aurora Bold Bright Cedar Clear Copper Coral Crown Delta Ember Falcon First Global Golden Granite Green Harbor Iron Ivory Lunar Maple Metro Nimbus Noble North Nova Orbit Pacific Prime Quartz River Silver Solar Summit Urban Vertex";
const TRADE =
  "Analytics Apparel Biotech Brewing Capital Ceramics Cloud Coffee Consulting Dental Design Devices Energy Engines Estates Farms Films Foods Freight Games Glass Health Homes Hotels Insurance Labs Legal Logistics Marine Media Metals Mobility Motors Networks Optics Paper Pharma Plastics Power Robotics Security Software Solar Steel Studios Systems Textiles Tools Travel Water";
const FORM = "AB AG AS BV Co Corp GmbH Group Holdings Inc KK Ltd LLC NV Oy Partners PLC SA SpA SRL";
const TITLES =
  "Account Executive,Buyer,CEO,CFO,CMO,COO,CTO,Consultant,Customer Success Manager,Designer,Developer,Director of Operations,Engineer,Founder,Head of Growth,Head of Sales,Marketing Manager,Office Manager,Product Manager,Sales Manager,VP Engineering,VP Sales";

const words = (text: string) => text.split(" ");
const [first, last, kind, trade, form] = [words(FIRST), words(LAST), words(KIND), words(TRADE), words(FORM)];
const titles = TITLES.split(",");

const YEAR_MS = 365 * 86_400_000;
/** All were created in the two years before this moment. */
const UNTIL = Date.UTC(2026, 0, 1);

/** 40 kinds × 50 trades × 20 forms. */
const COMPANIES = 40_000;

export interface FakeContact {
  email: string | null;
  first_name: string;
  last_name: string;
  company: string | null;
  job_title: string;
  phone: string | null;
  socialnet_url: string | null;
  website: string | null;
  lifecycle: string;
  source: string;
  tags: string | null;
  created_at: number;
  updated_at: number;
  archived_at: number | null;
}

/** The same people at every call: a few companies are large and most small, nine in ten are live, half came imported. */
export function* fakeContacts(count: number): Generator<FakeContact> {
  const random = seededRandom(20_260_101);
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T;
  const chance = (share: number) => random() < share;
  for (let n = 0; n < count; n++) {
    const [firstName, lastName] = [pick(first), pick(last)];
    const company = companyName(Math.floor(COMPANIES * random() ** 1.5));
    const handle = `${firstName}.${lastName}.${n}`
      .toLowerCase()
      .normalize("NFD")
      .replace(/[^a-z0-9.]/g, "");
    const domain = `${company.toLowerCase().replaceAll(" ", "-")}.example`;
    const created = Math.floor(UNTIL - 2 * YEAR_MS * (1 - n / count));
    const updated = chance(0.4) ? Math.floor(created + random() * (UNTIL - created)) : created;
    yield {
      email: chance(0.95) ? `${handle}@${domain}` : null,
      first_name: firstName,
      last_name: lastName,
      company: chance(0.92) ? company : null,
      job_title: pick(titles),
      phone: chance(0.6) ? `+1 555 ${String(n).padStart(7, "0")}` : null,
      socialnet_url: chance(0.5) ? `https://www.socialnet.example/in/${handle}/` : null,
      website: chance(0.4) ? `https://${domain}` : null,
      lifecycle: chance(0.7) ? "prospect" : chance(0.6) ? "lead" : chance(0.6) ? "opportunity" : "customer",
      source: chance(0.5) ? "import" : chance(0.7) ? "public_api" : chance(0.7) ? "manual" : "enrichment",
      tags: chance(0.25) ? JSON.stringify(["newsletter", "q3-launch"]) : null,
      created_at: created,
      updated_at: updated,
      archived_at: chance(0.1) ? updated : null,
    };
  }
}

function companyName(index: number): string {
  const rest = Math.floor(index / kind.length);
  const name = [kind[index % kind.length], trade[rest % trade.length], form[Math.floor(rest / trade.length)]];
  return name.join(" ");
}

/** mulberry32 */
function seededRandom(state: number): () => number {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
