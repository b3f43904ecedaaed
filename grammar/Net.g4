// The .net model language, version 1, in reading order. Each rule carries an example.
//
// Plain ANTLR 4 (tool and runtime >= 4.7): no embedded code, no lexer modes, no more than SLL prediction. Every
// statement starts with a keyword, so line breaks mean nothing. Characters that fit nowhere become STRAY tokens; comments
// stay on the hidden channel.
grammar Net;

// ---------------------------------------------------------------- files
// language 1   use "blocks/residual.net" as r   const classes = 10   net mlp { ... }
file         : languageDecl? useDecl* decl* EOF ;
// language 1
languageDecl : 'language' INT ;
// use "blocks/residual.net"        use "std/attention.net" as a
useDecl      : 'use' STRING ( 'as' IDENT )? ;

decl : constDecl | paramDecl | assertStmt
     | dataDecl  | blockDecl | netDecl | trainDecl | planDecl ;

// const classes = 10
constDecl : 'const' IDENT '=' expr ;
// param width: int = 64
paramDecl : 'param' IDENT ':' type '=' expr ;

// ---------------------------------------------------------------- the five big declarations
// data mnist { train: idx(image: "a", label: "b")  field image: u8[28, 28, 1] |> to_float(scale: 1/255) }
dataDecl  : 'data'  IDENT '{' ( fieldDecl | property )* '}' ;
// block unit(x: tensor, filters: int = 32) { return x |> conv2d(filters, 3) |> relu }
blockDecl : 'block' IDENT formals  '{' stmt* '}' ;
// net mlp(hidden: int = 64) { input x: f32[4]  output y = x |> dense(hidden) |> relu |> dense(3) }
netDecl   : 'net'   IDENT formals? '{' netStmt* '}' ;
// train small { net: mlp  data: mnist  loss: cross_entropy(logits, label)  batch: 128 total  epochs: 20 }
trainDecl : 'train' IDENT record ;
// plan all_gpus { towers: gpu:*  sync: allreduce(gradients) }
planDecl  : 'plan'  IDENT record ;

// field price: f32 from "median_price" |> log1p |> standardize
fieldDecl : 'field' IDENT ':' type ( 'from' op )? ( '|>' stage )* ;

// (x: f32[T, D], heads: int, drop: float = 0.1)
formals   : '(' ( formal ( ',' formal )* ','? )? ')' ;
// drop: float = 0.1
formal    : IDENT ':' type ( '=' expr )? ;

// ---------------------------------------------------------------- statements (each one starts with a keyword)
// in a block
stmt       : letStmt | sharedStmt | assertStmt | returnStmt ;
// in a net
netStmt    : inputStmt | outputStmt | letStmt | sharedStmt | assertStmt ;
// input image: f32[28, 28, 1]
inputStmt  : 'input'  IDENT ':' type ;
// output logits        output probs = softmax(logits)        output maps: f32[7, 7, 64] = x |> body
outputStmt : 'output' IDENT ( ':' type )? ( '=' expr )? ;
// let h = x |> dense(8)        let (a, b) = x |> split(2)        let maps: f32[7, 7, 64] = x |> body
letStmt    : 'let'    pattern ( ':' type )? '=' expr ;
// shared table = embedding(vocab, 64)
sharedStmt : 'shared' IDENT '=' expr ;
// return relu(y + x)
returnStmt : 'return' expr ;
// assert mod(width, heads) == 0, "the width must be a multiple of the heads"
assertStmt : 'assert' expr ',' STRING ;
// x        (filters, count)
pattern    : IDENT | '(' IDENT ( ',' IDENT )+ ','? ')' ;

// ---------------------------------------------------------------- types
// f32[28, 28, 1]        class(10)        class(vocab)[256]        tensor
type  : elem shape? ;
elem  : IDENT | 'class' '(' expr ')' ;
shape : '[' ( expr ( ',' expr )* )? ']' ;

// ---------------------------------------------------------------- records: the bodies of train and plan
// { monitor: validation.accuracy, patience: 8epochs }
record   : '{' property* '}' ;
// batch: 128 per tower
property : key ':' value ','? ;
value    : record | expr scope? ;
// per tower        total
scope    : 'per' IDENT | 'total' ;

// ---------------------------------------------------------------- expressions and pipelines
// if stride == 1 then x else x |> conv2d(filters, 1)        image |> flatten |> dense(10) as head
expr   : 'if' expr 'then' expr 'else' expr              # choice
       | op ( '|>' stage )*                             # pipeline
       ;
// dense(10) as head
stage  : ( repeat | op ) ( 'as' IDENT )? ;
// repeat 3 { unit(16) }        repeat shared 6 { layer }        repeat (f, n) in [(64, 3), (128, 4)] { unit(f) }
repeat : 'repeat' 'shared'? ( pattern 'in' )? op '{' stage ( '|>' stage )* '}' ;

// from the tightest binding to the loosest
op : op '.' key                                        # member      // table.weight
   | op '(' ( arg ( ',' arg )* ','? )? ')'             # call        // dense(10, bias: false)
   | op '[' expr ']'                                   # index       // x.shape[-1]
   | <assoc=right> op '^' op                           # power       // 2 ^ k
   | ( '-' | 'not' ) op                                # unary       // -1
   | op ( '*' | '/' ) op                               # product     // 1 / 255
   | op ( '+' | '-' ) op                               # sum         // y + x
   | op '..<' op                                       # range       // 0% ..< 80%
   | op ( '<' | '<=' | '>' | '>=' | '==' | '!=' ) op   # compare     // stride == 1
   | op 'and' op                                       # conj
   | op 'or' op                                        # disj
   | atom                                              # leaf
   ;
// 3        padding: same
arg  : ( key ':' )? expr ;
// 60_000   1e-3   25MiB   "a.csv"   gpu:*   true   none   x   [1, 2]   (a, b)   and, as names of the split, the data
// set and the net:   take(train, 10%)   data.price   net.price
atom : INT | FLOAT | QUANTITY | STRING | DEVICE | 'true' | 'false' | 'none' | IDENT
     | 'train' | 'data' | 'net'
     | '[' ( expr ( ',' expr )* ','? )? ']'
     | '(' expr ( ',' expr )* ','? ')' ;

// words that are keywords elsewhere but ordinary names before ':' or after '.'
key : IDENT | 'language' | 'use' | 'const' | 'param' | 'data' | 'field' | 'block' | 'net'
    | 'train' | 'plan' | 'input' | 'output' | 'let' | 'shared' | 'class' | 'repeat' | 'in' | 'from' ;

// ---------------------------------------------------------------- keywords
KW_LANGUAGE : 'language' ;
KW_USE      : 'use' ;
KW_AS       : 'as' ;
KW_CONST    : 'const' ;
KW_PARAM    : 'param' ;
KW_DATA     : 'data' ;
KW_FIELD    : 'field' ;
KW_FROM     : 'from' ;
KW_BLOCK    : 'block' ;
KW_NET      : 'net' ;
KW_INPUT    : 'input' ;
KW_OUTPUT   : 'output' ;
KW_LET      : 'let' ;
KW_SHARED   : 'shared' ;
KW_RETURN   : 'return' ;
KW_ASSERT   : 'assert' ;
KW_TRAIN    : 'train' ;
KW_PLAN     : 'plan' ;
KW_IF       : 'if' ;
KW_THEN     : 'then' ;
KW_ELSE     : 'else' ;
KW_REPEAT   : 'repeat' ;
KW_IN       : 'in' ;
KW_AND      : 'and' ;
KW_OR       : 'or' ;
KW_NOT      : 'not' ;
KW_PER      : 'per' ;
KW_TOTAL    : 'total' ;
KW_CLASS    : 'class' ;
KW_TRUE     : 'true' ;
KW_FALSE    : 'false' ;
KW_NONE     : 'none' ;

// ---------------------------------------------------------------- marks
BRACE_OPEN    : '{' ;
BRACE_CLOSE   : '}' ;
PAREN_OPEN    : '(' ;
PAREN_CLOSE   : ')' ;
BRACKET_OPEN  : '[' ;
BRACKET_CLOSE : ']' ;
COLON         : ':' ;
COMMA         : ',' ;
DOT           : '.' ;
ASSIGN        : '=' ;
PIPE          : '|>' ;
POWER         : '^' ;
STAR          : '*' ;
SLASH         : '/' ;
PLUS          : '+' ;
MINUS         : '-' ;
RANGE         : '..<' ;
LESS          : '<' ;
LESS_EQUAL    : '<=' ;
GREATER       : '>' ;
GREATER_EQUAL : '>=' ;
EQUAL         : '==' ;
NOT_EQUAL     : '!=' ;

// ---------------------------------------------------------------- words and literals
// cpu:0   gpu:*   sim:1
DEVICE   : ( 'cpu' | 'gpu' | 'sim' ) ':' ( DIGIT+ | '*' ) ;
// 25MiB   10min   8epochs   20%
QUANTITY : NUMBER UNIT | NUMBER '%' ;
FLOAT    : DIGITS '.' DIGITS EXP? | DIGITS EXP ;
INT      : DIGITS ;
IDENT    : [A-Za-z_] [A-Za-z0-9_]* ;
STRING   : '"' ( ESC | ~["\\\r\n] )* '"' ;

fragment NUMBER : DIGITS ( '.' DIGITS )? EXP? ;
fragment DIGITS : DIGIT ( '_'? DIGIT )* ;
fragment DIGIT  : [0-9] ;
fragment EXP    : [eE] [+-]? DIGIT+ ;
fragment ESC    : '\\' ( ["\\nrt] | 'u{' [0-9A-Fa-f]+ '}' ) ;
fragment UNIT   : 'B' | 'kB' | 'MB' | 'GB' | 'TB' | 'KiB' | 'MiB' | 'GiB' | 'TiB'
                | 'us' | 'ms' | 's' | 'min' | 'h' | 'deg'
                | 'epoch' 's'? | 'step' 's'? | 'sample' 's'? | 'token' 's'? ;

DOC     : '///' ~[\r\n]*          -> channel(HIDDEN) ;
COMMENT : ( '//' | '#' ) ~[\r\n]* -> channel(HIDDEN) ;
BLOCKC  : '/*' .*? '*/'           -> channel(HIDDEN) ;
WS      : [ \t\r\n]+              -> channel(HIDDEN) ;

// anything else becomes a token of its own, so that one place reports everything
STRAY   : . ;
