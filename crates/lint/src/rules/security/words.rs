//! Searches for a thousand words at once, in any case, about as fast as a text can be read.
//!
//! For each word its rarest four-byte substring is indexed. A text is read once, four bytes at a
//! time; where they match an indexed substring, the whole word is compared. An Aho-Corasick
//! automaton of all words takes megabytes, tens of milliseconds to build, and twice the time to
//! run.

use std::ops::Range;
use std::sync::LazyLock;

/// How often a class of bytes occurs, in a thousand: for four bytes that are not among [`COMMON`],
/// the sum says how rare they are.
const COMMONNESS: [u16; CLASSES] = [
    52, 8, 30, 25, 83, 13, 14, 15, 50, 1, 5, 29, 19, 48, 47, 23, 2, 48, 49, 63, 20, 8, 7, 4, 10, 1,
    10, 164, 29, 4, 15, 10, 4, 7, 1, 7, 3, 10, 4, 1, 1, 1, 5, 5, 2, 2, 2, 2, 3, 1, 9, 5, 8, 2, 1,
    1, 1, 1, 1, 1, 1, 9, 1, 1,
];
/// The most frequent four-byte substrings of the words, counted in a thousand files of some four
/// hundred skills; the most frequent first. An outdated list costs time, and not a finding.
#[rustfmt::skip]
const COMMON: &str = concat!(
    "tion thethe ing atioion and  and conmentcode proionsent ctio usewith comate contfiletingable is ",
    "sioncompservdatacomm nottest file thhat portthisencenot reque coscri stauserject resenti thiform",
    "riptcripn thentsfromreatringecti yourom erenternfere dattextstat appconfall  froontehttpons inst",
    "catible his eferinterenc exponfirefeerveicatest ore ity crea runlinemodeare ever verspec insated",
    "attet thversconstoolchecs anheckific modrepoover areproj repmandrojerverojeche s pereatestruttps",
    "he cormastri preile ommacessmmanlatees ales endeort atchancered jsontrucruct crenteroundess you ",
    "oper all outers dentstraningpathersiprovnfig.com it ileswhattentcallt coitiowinde prgentindoust ",
    "ndowver t ree anagenervitherser angebaserevi secractviceeneridenonalveriforeatorwriton tritessio",
    "ionactoratesnten eve shotate defrsiorentramerrortabld thgeneerroessidowsquesout ressstorntexalid",
    "uestrmat disrvictectfindevelounte usverye toientevalventcom/t iner tstan priequeplicbackvalistin",
    "ings an erifs coclud whaplatthubithutratgithrun loadritycoundown be sageyourstarlearlocanstr acc",
    "hereistrmustlects arlete incnstatrinany ncluestionennderdencontatartpres any revinclhe uapplthon",
    "funclow pythythonew procr re musmatilingcal t toficaroceexplaultn coon snd tset item keylude one",
    "nctiunctneedouldlatikillidats.mdher ill ectopromautocatemessmisst prontrpassresetemper auctiide ",
    "ace  neefaulacceify essae sedefaefautch ernate tlienmini logcliennecconnctedelinhingper lidaauth",
    "coreonnesidestemestssystysteopennectcoveon illowon cissicceson pstalkingazurzuressagy th vart fo",
    "tallpackadmidminsyncn't  scrt.coifie shaain pectbasht anrompompttrantialemplicesocesrgetcurrstom",
    "ard datiecurcopiframs noentrusto funcustransapi execurrelicashouhoulariagate stoces/mplarrenn in",
    "ing.utiotaskons. ove-comprin foll covarisent iteonseass initpilolockilotthiner secutentend sbjec",
    "oolspplixecutruegramelecopilo no gettoreiablthouappr trumagerifyer i basannofferppror insecuerti",
    "do neporuresermilderjavapostschehoutnablobjefullimagmove-serteramethommeithorulenmenost blesntit",
    "y recollegrantrommenttintifis prial showceptm theed ocatdoesditiexpoack n tonitiassidule.jsonver",
    "ocalrnalowerthrouritcleand pcuri exeend ollo infcorrhightriculesplac doeterit exrizenevetermows ",
    "veloremo cur askriabitecom te safirm htthostvertd pretholaceoldeprotsist sysblocthodn prtrolr an",
    "nfirironst pre sal srifienviviroer rnvironmereleectule abounan ameditem folltechorm charhe oinfo",
    "asesnts.titye onstedecomronmpingallefiedle t invommintio mesmmitokenscorinerpersot ainalcretprof",
    "eletntianforivatnds  envpreflivecordpipedevediscmeta.getattrntry-prodel s deove enaber fle spowe",
    "filtemovntinprevo reprivrofilogibreades ofildeleleaseconreplecretche falmingger rivaelopy anind ",
    "tokescalcingnoneoes ettiratol ine trknowt usoritedgeer wrootmit etchfalsrtifantion'trestut tat i",
    "e scalserowsion_adathellemairintis cediavatereensecrbranxporute nodeer ot aslookde aal petadtada",
    "rmintifynes eep ll trovereve nevizedvoidst ois nwilldon'keepe nosersorteallove ain sfoldpriorior",
    "thorce aeaseeditt di bouentlfetcer dword ownert t itjustsitewing annstreal ie alell settsafeisco",
    "lainmemoll csteaer mmailync cutis alfreeplaiersht tentlyactsit t awagit sheluthoskipt meat casks",
    "emorpermll sockeent-yingtanteplal thhori wilake avasmay ascrrs at apvasc maycredestrt vamoryacco",
    "t nondattop closot sity.theiail er bt alchedheirrantoid cutepolirustredee.co.conedene.mdoratowne",
    ".gitxplacopymat ioriware.netscrertinowinstrod termisetheride.orgastees nckeroliconinfocuocuswers",
    "org/reakt loll p knoess.invor foidesion(l pristacreelonge crccounotirainr mort torizp sefy t() {",
    "ate_at dckinesertes.p tht shavoiilenrow s newnerreamforcr tee yor maeleacardsablloseappir isun t",
    "shorlbacstopy exllbahorttakeot rsn't safles.it st leuman_keyre nhumaeracode.ies.radis shorced no",
    "disaet tt.mdionierser wits.mt acn scendsl stkeysericm inut aget_| inlet <!--ngernorer mecalelope",
    "ata.es pe-coot titiaen illintrustup uto-mizent vlent = fealtn itp ingin d moot fwardallbotifalth",
    "--inminaot ibrowns.mecho sayansfialsloudurl r's shadowse-agesend",
);
const CLASSES: usize = 64;
/// Marks that have a class of their own, after the letters, digits, blanks and line ends.
const MARKS: &[u8] = b"_-./:\\\"'`|<>$(){}[]=+*#,;!?@&%^~";
/// How many four-byte substrings begin in eight bytes.
const PLACES_PER_STEP: usize = 5;
/// How many buckets of two bytes are distinguished.
const BUCKETS: usize = 4096;

/// A set of words.
pub(super) struct TriggerWords {
    list: Vec<&'static str>,
    /// For each bucket of two bytes, the bit set of buckets (of 64) of the two bytes that follow
    /// them in a word.
    followers: Vec<u64>,
    /// For each bucket of two bytes, the index in `grams` of the first that begins with them.
    starts: Vec<u16>,
    grams: Vec<FourGram>,
}

/// Four bytes of a word, in one number, after [`fold_case`].
#[derive(Clone, Copy)]
struct FourGram {
    letters: u32,
    /// The bits that count: a word may have less than four bytes.
    mask: u32,
    /// The index of the word, and the offset of the bytes in it.
    word: u16,
    offset: u8,
}

/// Makes letters equal in both cases; some other characters become equal, too, which matters
/// little.
#[inline]
fn fold_case(letters: u32) -> u32 {
    letters | 0x2020_2020
}

/// Returns the first four of eight bytes.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the others are checked later"
)]
fn low_half(letters: u64) -> u32 {
    letters as u32
}

/// Returns the bucket of the first two bytes, and that of the two after them.
#[inline]
fn bucket(letters: u32) -> (usize, u32) {
    let first = (letters & 0xffff).wrapping_mul(0x9e37_79b1) >> 20;
    (first as usize, ((letters >> 16) ^ (letters >> 21)) & 63)
}

impl TriggerWords {
    /// Builds the set of words, given in lower case, each of at least two bytes.
    pub(super) fn new(words: Vec<&'static str>) -> Self {
        let class = byte_classes();
        let fours = words
            .iter()
            .enumerate()
            .map(|(number, word)| rarest_gram(to_u16(number), word.as_bytes(), &class));
        let mut grams: Vec<FourGram> = fours.collect();
        // Words of one bucket are next to each other, so that two numbers name them all.
        grams.sort_by_key(|four| bucket(four.letters).0);

        let mut followers = vec![0; BUCKETS];
        for four in &grams {
            let (first, second) = bucket(four.letters);
            followers[first] |= match four.mask {
                // A word of two letters may be followed by any.
                0xffff => u64::MAX,
                // The fourth byte after a word of three letters may be any.
                0xff_ffff => (0..=0xff).fold(0, |all, last| {
                    all | 1 << bucket(fold_case(four.letters | last << 24)).1
                }),
                _ => 1 << second,
            };
        }

        let start =
            |index: usize| to_u16(grams.partition_point(|four| bucket(four.letters).0 < index));
        let starts = (0..=BUCKETS).map(start).collect();
        TriggerWords {
            list: words,
            followers,
            starts,
            grams,
        }
    }

    /// Calls `found` with each word of the set in a text, and its span, roughly in the order of
    /// positions.
    pub(super) fn for_each_match(&self, text: &str, mut found: impl FnMut(usize, Range<usize>)) {
        let bytes = text.as_bytes();
        let has: &[u64; BUCKETS] = self
            .followers
            .as_slice()
            .try_into()
            .expect("there are that many buckets");
        // One lookup and a shift reject nearly every position.
        let mut check_at = |at: usize, letters: u32| {
            let (first, second) = bucket(letters);
            if has[first] >> second & 1 == 1 {
                self.verify(bytes, letters, at, &mut found);
            }
        };

        // Eight bytes are loaded at once, for the five positions at which four of them begin.
        let mut next = 0;
        for eight in bytes.windows(8).step_by(PLACES_PER_STEP) {
            let eight: [u8; 8] = eight.try_into().expect("there are eight");
            let letters = u64::from_le_bytes(eight) | 0x2020_2020_2020_2020;
            for place in 0..PLACES_PER_STEP {
                check_at(next + place, low_half(letters >> (8 * place)));
            }
            next += PLACES_PER_STEP;
        }

        // The last positions, where less than four bytes may be left.
        for at in next..bytes.len() {
            let rest = &bytes[at..bytes.len().min(at + 4)];
            let mut four = [0; 4];
            four[..rest.len()].copy_from_slice(rest);
            check_at(at, fold_case(u32::from_le_bytes(four)));
        }
    }

    #[inline(never)]
    fn verify(
        &self,
        bytes: &[u8],
        letters: u32,
        at: usize,
        found: &mut impl FnMut(usize, Range<usize>),
    ) {
        // Not inlined: few positions come here, and the loop around it stays small.
        let index = bucket(letters).0;
        let same =
            &self.grams[usize::from(self.starts[index])..usize::from(self.starts[index + 1])];
        for four in same
            .iter()
            .filter(|four| letters & four.mask == four.letters & four.mask)
        {
            let word = self.list[usize::from(four.word)].as_bytes();
            let Some(start) = at.checked_sub(usize::from(four.offset)) else {
                continue;
            };

            let Some(found_bytes) = bytes.get(start..start + word.len()) else {
                continue;
            };

            // Most candidates differ at once.
            if found_bytes[0].eq_ignore_ascii_case(&word[0])
                && found_bytes.eq_ignore_ascii_case(word)
            {
                found(usize::from(four.word), start..start + word.len());
            }
        }
    }
}

fn to_u16(number: usize) -> u16 {
    u16::try_from(number).expect("there are some thousand words")
}

fn byte_classes() -> [u8; 256] {
    let mut class = [61; 256];
    for (byte, class) in (0..=u8::MAX).zip(&mut class) {
        *class = match byte {
            byte if byte.is_ascii_alphabetic() => byte.to_ascii_lowercase() - b'a',
            byte if byte.is_ascii_digit() => 26,
            b'\n' => 28,
            byte if byte.is_ascii_whitespace() => 27,
            // Lead bytes of UTF-8: of Cyrillic and its neighbors, and of East Asian scripts.
            0xd0..=0xdf => 63,
            0xe3..=0xef => 62,
            byte => MARKS
                .iter()
                .position(|mark| *mark == byte)
                .map_or(61, |at| 29 + u8::try_from(at).unwrap_or_default()),
        };
    }
    class
}

/// The common substrings with their ranks, sorted: a binary search in a thousand numbers takes a quarter of a hash map's time.
static COMMON_RANKS: LazyLock<Vec<(u32, usize)>> = LazyLock::new(|| {
    let (fours, _) = COMMON.as_bytes().as_chunks::<4>();
    let mut ranks: Vec<(u32, usize)> = fours
        .iter()
        .enumerate()
        .map(|(rank, four)| (u32::from_le_bytes(*four), rank))
        .collect();
    ranks.sort_unstable();
    ranks
});

/// Returns the four bytes of a word that are rarest in other texts.
fn rarest_gram(number: u16, word: &[u8], class: &[u8; 256]) -> FourGram {
    // The rarer the four bytes, the fewer positions are compared in vain.
    let best = word
        .windows(4)
        .filter_map(<[u8]>::first_chunk)
        .enumerate()
        .min_by_key(|(_, four)| gram_frequency(**four, class))
        .map_or(0, |(at, _)| at);

    let mut four = [0; 4];
    let length = word.len().min(4);
    four[..length].copy_from_slice(&word[best..best + length]);
    let mask = u32::MAX >> (8 * (4 - length));
    let offset = u8::try_from(best).expect("words are short");
    FourGram {
        letters: fold_case(u32::from_le_bytes(four)),
        mask,
        word: number,
        offset,
    }
}

/// Returns how frequent four bytes are in other texts, for comparison: by their rank, or as the sum
/// of their bytes.
fn gram_frequency(four: [u8; 4], class: &[u8; 256]) -> usize {
    let letters = u32::from_le_bytes(four);
    if let Ok(at) = COMMON_RANKS.binary_search_by_key(&letters, |(known, _)| *known) {
        return 1_000_000 - COMMON_RANKS[at].1;
    }

    four.iter()
        .map(|byte| usize::from(COMMONNESS[usize::from(class[usize::from(*byte)])]))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_at_any_position_and_in_any_case() {
        let words = TriggerWords::new(vec![
            "curl",
            "''",
            "://4",
            "\nsystem:",
            "| sh",
            "不要",
            "xyzzy",
        ]);
        let text = "Curl '' x http://45 a\nSYSTEM: b | SH curlcurl 不要 ''.";
        let mut found = Vec::new();
        words.for_each_match(text, |number, range| {
            found.push((number, text[range].to_owned()));
        });
        found.sort();
        let wanted = [
            (0, "Curl"),
            (0, "curl"),
            (0, "curl"),
            (1, "''"),
            (1, "''"),
            (2, "://4"),
            (3, "\nSYSTEM:"),
            (4, "| SH"),
            (5, "不要"),
        ];
        assert_eq!(
            found,
            wanted.map(|(number, text)| (number, text.to_owned()))
        );
    }
}
